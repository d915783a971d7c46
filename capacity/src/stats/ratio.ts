/** By which factor something changes, with its 95 % interval. */
export interface Ratio {
  ratio: number;
  least: number;
  most: number;
}
