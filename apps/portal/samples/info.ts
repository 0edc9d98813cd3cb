/** The info string of a code block: its language, and how it is tested. */
export interface SampleInfo {
  language: string;
  title: string | undefined;
  /** Runs against a server. */
  runs: boolean;
  /** A step of a tutorial that a test follows in a shell, from the first to the last. */
  follows: boolean;
  /** Continues the previous block of the same language. */
  continues: boolean;
  /** What a JSON value is checked against: an operation and `body` or `answer`. */
  schema: string | undefined;
}

export function readInfo(language: string, meta: string): SampleInfo {
  const words = meta.replace(/\w+="[^"]*"/g, '').split(/\s+/);
  return {
    language,
    title: attributeValue(meta, 'title'),
    runs: words.includes('run'),
    follows: words.includes('follow'),
    continues: words.includes('continues'),
    schema: attributeValue(meta, 'schema'),
  };
}

export function attributeValue(meta: string, name: string): string | undefined {
  return new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(meta)?.[1];
}
