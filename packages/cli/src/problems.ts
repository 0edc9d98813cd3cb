/** Where something is in a file. Lines and columns start at 1. */
export interface Place {
  file: string;
  line: number;
  column: number;
}

export interface FileProblem {
  place: Place;
  message: string;
}

/** Files that cannot be used. All problems are shown at once. */
export class BadFiles extends Error {
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[]) {
    super(problems.map(({ place, message }) => `${showPlace(place)}: ${message}`).join('\n'));
    this.name = 'BadFiles';
    this.problems = problems;
  }
}

/** Wrong usage of a command, or something that a person must change. It is printed as it is. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export function showPlace({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}
