/** Downloads the agents for `npm run test:agents` once; the tests then run without a network. */
import { fetchPrograms, programsFolder } from "../e2e/agents/programs.ts";

fetchPrograms();
process.stdout.write(`The agents are in ${programsFolder()}.\n`);
