import { render } from "preact";
import "./page.css";
import { readToken } from "./access.ts";
import { followLinks } from "./address.ts";
import { Frame } from "./frame.tsx";

readToken();
document.addEventListener("click", followLinks);
const app = document.getElementById("app");
if (app) render(<Frame />, app);
