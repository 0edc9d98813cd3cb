/** Adds a position in a text to a sentence about it; positions count from 0. */
export function atCharacter(sentence: string, position: number): string {
  return `${sentence.replace(/\.$/, '')} (at character ${position + 1}).`;
}
