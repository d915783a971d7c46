import { createRequire } from 'node:module';

type BetaQuantile = (p: number, alpha: number, beta: number) => number;

let library: BetaQuantile | undefined;

/**
 * The quantile of a beta distribution. The library is loaded on first use: it has 400 files, which commands without statistics
 * need not read.
 * @param p 0 to 1
 * @param alpha above 0
 * @param beta above 0
 */
export function betaQuantile(p: number, alpha: number, beta: number): number {
  library ??= createRequire(import.meta.url)('@stdlib/stats-base-dists-beta-quantile') as BetaQuantile;
  return library(p, alpha, beta);
}
