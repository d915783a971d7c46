import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { mersenne } from 'pure-rand/generator/mersenne';

/** A source of random numbers that gives the same ones for the same seed, so that a record judged again is judged alike. */
export interface Random {
  /** Uniform, 0 to 1, 1 excluded. */
  uniform(): number;
  /** Standard normal (Box and Muller 1958). */
  normal(): number;
  /** Chi-squared: the sum of so many squared standard normals. */
  chiSquared(degreesOfFreedom: number): number;
}

export function seededRandom(seed: number): Random {
  // Its seeding mixes well: sequences of seeds that are near each other have nothing in common.
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
