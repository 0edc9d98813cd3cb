import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parse } from '@formatjs/icu-messageformat-parser';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

// The server writes the HTML and finds the files by the manifest. Nothing is inlined: its policy runs and styles files only.
export default defineConfig({
  base: '/console/',
  publicDir: false,
  plugins: [react(), parsedMessages(), rulesWithoutNode()],
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

/**
 * Lets pages run the evaluator of rules, which is written for Node.js: its few modules have shims, and the validator of files is
 * compiled here, because nothing can become code in a page.
 */
function rulesWithoutNode(): Plugin {
  const shim = (name: string) => join(import.meta.dirname, `src/rules-file/shims/${name}.ts`);
  const shims: Readonly<Record<string, string>> = {
    'node:crypto': shim('crypto'),
    'node:timers/promises': shim('timers'),
    '../../../services/worker-threads/index.ts': shim('worker-threads'),
  };
  // Read by the pool’s size alone, which the shim of the pool does not need.
  const noSystem = '\0node:os';
  return {
    name: 'rules-without-node',
    enforce: 'pre',
    resolveId: (id, importer = '') => {
      if (!importer.includes('/packages/')) return undefined;
      return id === 'node:os' ? noSystem : shims[id];
    },
    async load(path) {
      if (path === noSystem) return 'export const availableParallelism = () => 1;';
      if (!path.endsWith('/packages/cli/src/file/validate-file.ts')) return undefined;
      return compileValidator(path);
    },
    // The thread that is never opened would otherwise be built into a file.
    transform: (code, path) =>
      path.endsWith('/rules/queries/start-queries.ts')
        ? code.replace("new URL('./worker.ts', import.meta.url)", "new URL('about:blank')")
        : undefined,
  };
}

/** The module with the validator of rules files, as code. */
async function compileValidator(path: string): Promise<string> {
  const { validate, validatorOptions } = await import(path);
  const validatePath = createRequire(import.meta.url).resolve('@latchkey/kernel/validate');
  const { createAjv } = await import(validatePath);
  const writeStandalone = createRequire(validatePath)('ajv/dist/standalone').default;
  const ajv = createAjv({ ...validatorOptions, code: { source: true, esm: true, lines: false } });
  const code: string = writeStandalone(ajv, ajv.compile(validate.schema));
  // It writes calls of require even into modules.
  const imports: string[] = [];
  const body = code.replaceAll(/require\("([^"]+)"\)\.default/g, (_call, name: string) => {
    const file = JSON.stringify(createRequire(validatePath).resolve(name));
    const needed = `needed${imports.length}`;
    imports.push(`import ${needed} from ${file};`);
    // Bundlers differ in what the default of a CommonJS module with a default is.
    return `(${needed}.default ?? ${needed})`;
  });
  return `${imports.join('\n')}\n${body}`;
}

/** Ids are a fourth of the file when each is written in full. In a browser, `{login: {title}}` becomes `{'login.title': title}`. */
const flattenSource =
  'Object.fromEntries(Object.entries(groups).flatMap(([group, texts]) => Object.entries(texts).map(([rest, text]) => [group + "." + rest, text])))';
