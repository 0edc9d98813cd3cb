/** What stands behind the fence of a code block: its language, and what a test has to do with it. */
export interface SampleInfo {
  language: string;
  title: string | undefined;
  /** Runs against a server. */
  runs: boolean;
  /** Goes on from the block of the same language before it. */
  continues: boolean;
  /** What a JSON value is held to: an operation and `body` or `answer`. */
  schema: string | undefined;
}

export function readInfo(language: string, meta: string): SampleInfo {
  const words = meta.replace(/\w+="[^"]*"/g, '').split(/\s+/);
  return {
    language,
    title: attributeValue(meta, 'title'),
    runs: words.includes('run'),
    continues: words.includes('continues'),
    schema: attributeValue(meta, 'schema'),
  };
}

export function attributeValue(meta: string, name: string): string | undefined {
  return new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(meta)?.[1];
}
