import { render } from "preact";
import "./page.css";
import { followLinks } from "./address.ts";
import { Frame } from "./frame.tsx";

document.addEventListener("click", followLinks);
const app = document.getElementById("app");
if (app) render(<Frame />, app);
