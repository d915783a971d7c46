/** Largest error of a quantile, as a share of its distance from 0 or 1, whichever is nearer. */
const PRECISION = 1e-13;
/** Terms of the continued fraction; it needs about the square root of the larger parameter. */
const MOST_TERMS = 100_000;
/** Stands for 0 in a denominator. */
const TINY = 1e-300;

/**
 * The quantile of a beta distribution: the value below which a share `p` of it lies. Found by bisection.
 * @param p 0 to 1
 * @param alpha above 0
 * @param beta above 0
 */
export function betaQuantile(p: number, alpha: number, beta: number): number {
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  let [low, high] = [0, 1];
  while (high - low > PRECISION * Math.min(high, 1 - low)) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (betaDistribution(middle, alpha, beta) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The regularised incomplete beta function (Press et al., Numerical Recipes, 3rd edition, 2007, section 6.4). */
function betaDistribution(x: number, alpha: number, beta: number): number {
  const front = Math.exp(
    logGamma(alpha + beta) - logGamma(alpha) - logGamma(beta) + alpha * Math.log(x) + beta * Math.log1p(-x),
  );
  // The fraction converges quickly on this side of the mean; the other side follows by symmetry.
  return x < (alpha + 1) / (alpha + beta + 2)
    ? (front * continuedFraction(x, alpha, beta)) / alpha
    : 1 - (front * continuedFraction(1 - x, beta, alpha)) / beta;
}

/** The continued fraction of the incomplete beta function, by the method of Lentz. */
function continuedFraction(x: number, alpha: number, beta: number): number {
  let c = 1;
  let d = 1 / notZero(1 - ((alpha + beta) * x) / (alpha + 1));
  let fraction = d;
  for (let m = 1; m <= MOST_TERMS; m++) {
    const even = (m * (beta - m) * x) / ((alpha + 2 * m - 1) * (alpha + 2 * m));
    d = 1 / notZero(1 + even * d);
    c = notZero(1 + even / c);
    fraction *= d * c;
    const odd = (-(alpha + m) * (alpha + beta + m) * x) / ((alpha + 2 * m) * (alpha + 2 * m + 1));
    d = 1 / notZero(1 + odd * d);
    c = notZero(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < Number.EPSILON) break;
  }
  return fraction;
}

const notZero = (value: number): number => (Math.abs(value) < TINY ? TINY : value);

/** Coefficients of Lanczos' approximation with g = 7 (Godfrey, 2001); its relative error is below 1e-14. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];
const G = 7;

/** The logarithm of the gamma function. @param x above 0 */
function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const z = x - 1;
  const series = LANCZOS.slice(1).reduce((sum, c, i) => sum + c / (z + i + 1), LANCZOS[0]!);
  const t = z + G + 0.5;
  return Math.log(2 * Math.PI) / 2 + (z + 0.5) * Math.log(t) - t + Math.log(series);
}
