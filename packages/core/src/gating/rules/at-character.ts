/** A sentence about a text, with the place in the text that it is about; positions count from 0. */
export function atCharacter(sentence: string, position: number): string {
  return `${sentence.replace(/\.$/, '')} (at character ${position + 1}).`;
}
