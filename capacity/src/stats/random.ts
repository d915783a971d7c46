import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { mersenne } from 'pure-rand/generator/mersenne';

/** Random numbers, reproducible by their seed: a record that is judged again gets the same verdict. */
export interface Random {
  /** Uniform from 0 to 1, excluding 1. */
  uniform(): number;
  /** Standard normal (Box and Muller 1958). */
  normal(): number;
  /** Chi-squared: the sum of this many squared standard normals. */
  chiSquared(degreesOfFreedom: number): number;
}

/** Random numbers from a seed; the Mersenne Twister's seeding makes neighbouring seeds unrelated. */
export function seededRandom(seed: number): Random {
  const generator = mersenne(seed);
  const uniform = () => uniformFloat64(generator);
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  const chiSquared = (degreesOfFreedom: number) => {
    let sum = 0;
    for (let i = 0; i < degreesOfFreedom; i++) sum += normal() ** 2;
    return sum;
  };
  return { uniform, normal, chiSquared };
}
