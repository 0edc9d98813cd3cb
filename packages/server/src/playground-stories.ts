import { readFileSync } from 'node:fs';

/** What happened in a playground after a reader did something. */
export interface RecordedStep {
  /** What the reader did, in a sentence. */
  action: string;
  members: { name: string; roles: string[] }[];
  /** How many removals wait for approval. */
  waiting: number;
}

/** Recorded sequences for pages on which nothing can be tried out. */
export interface Recording {
  start: {
    members: { name: string; isLinked: boolean; keys: number; coins: string; badges: number; roles: string[] }[];
    rule: { choice: string; name: string };
    changeSets: never[];
  };
  stories: Record<string, RecordedStep[]>;
}

export const playgroundFile = new URL('../examples/playground/stories.json', import.meta.url);

export function readPlaygroundStories(): Recording {
  return JSON.parse(readFileSync(playgroundFile, 'utf8'));
}
