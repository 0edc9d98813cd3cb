import { variables } from './config.ts';

const width = 120;

/** Returns the text of `.env.example`: every variable with its meaning, none of them set. */
export function envExample(): string {
  const head = [
    '# Copy this file to .env and set what you need. Everything is optional. See docs/configuration.md.',
    '# Each commented line shows the default.',
  ];
  const parts = Object.entries(variables).map(([name, { meaning, fallback }]) =>
    [...wrap(meaning).map((line) => `# ${line}`), `#${name}=${fallback}`].join('\n'),
  );
  return `${[head.join('\n'), ...parts].join('\n\n')}\n`;
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && `# ${line} ${word}`.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
