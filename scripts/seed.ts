/**
 * Loaded before every test file: property tests use one seed, so that a failure repeats. `WEFT_SEED=random` tries new cases;
 * `WEFT_SEED=NUMBER` repeats the failure whose seed a run printed.
 */
import fc from "fast-check";

const { WEFT_SEED = "20261116" } = process.env;
if (WEFT_SEED !== "random") fc.configureGlobal({ seed: Number(WEFT_SEED) });
