import { dirname, join } from 'node:path';
import { parse } from '@formatjs/icu-messageformat-parser';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

// The server writes the HTML and finds the files by the manifest. Nothing is inlined: its policy runs and styles files only.
export default defineConfig({
  base: '/console/',
  publicDir: false,
  plugins: [react(), parsedMessages()],
  resolve: {
    // Messages are parsed by the build, so no browser loads the parser.
    alias: [
      {
        find: /^@formatjs\/icu-messageformat-parser$/,
        replacement: '@formatjs/icu-messageformat-parser/no-parser.js',
      },
    ],
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ['src/main.tsx', 'src/console.tsx'] },
  },
});

/** Parses the messages of each language, with the English text of what is not translated. Each part of the console has its own. */
function parsedMessages(): Plugin {
  const source = join(import.meta.dirname, 'src');
  const readMessages = async (path: string): Promise<Record<string, string>> => (await import(path)).default;
  return {
    name: 'parsed-messages',
    async load(path) {
      if (!path.startsWith(source) || !/\/messages\/[a-z]{2}(-[A-Z]{2})?\.ts$/.test(path)) return undefined;
      const texts = { ...(await readMessages(join(dirname(path), 'en.ts'))), ...(await readMessages(path)) };
      const groups: Record<string, Record<string, unknown>> = {};
      for (const [id, text] of Object.entries(texts)) {
        const [, group = '', rest = ''] = /^(\w+)\.(.+)$/.exec(id) ?? [];
        groups[group] = { ...groups[group], [rest]: /[{}'#]/.test(text) ? parse(text, { ignoreTag: true }) : text };
      }
      return `const groups = ${JSON.stringify(groups)}; export default ${flattenSource};`;
    },
  };
}

/** Ids are a fourth of the file when each is written in full. In a browser, `{login: {title}}` becomes `{'login.title': title}`. */
const flattenSource =
  'Object.fromEntries(Object.entries(groups).flatMap(([group, texts]) => Object.entries(texts).map(([rest, text]) => [group + "." + rest, text])))';
