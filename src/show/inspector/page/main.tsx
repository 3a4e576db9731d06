import { render } from "preact";
import "./page.css";
import { Frame } from "./frame.tsx";
import { followLinks } from "./place.ts";

document.addEventListener("click", followLinks);
render(<Frame />, document.getElementById("app")!);
