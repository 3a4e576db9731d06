/** Fetches the agents that `npm run test:agents` drives, once; then it runs without a network. */
import { fetchPrograms, programsFolder } from "../e2e/agents/programs.ts";

fetchPrograms();
process.stdout.write(`The agents are in ${programsFolder()}.\n`);
