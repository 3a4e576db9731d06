/**
 * Loaded before every test file: property tests take their cases from one seed, so that a run that fails fails again.
 * `WEFT_SEED=random` looks for new cases; `WEFT_SEED=NUMBER` is the seed of a failure that a run has printed.
 */
import fc from "fast-check";

const { WEFT_SEED = "20261116" } = process.env;
if (WEFT_SEED !== "random") fc.configureGlobal({ seed: Number(WEFT_SEED) });
