// Checks the settings alone. It needs no installed package, so that a mistake is reported before any is installed.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { printError } from './cli/print.ts';

// Links to packages of our own are made by the installation, so they are found in their folders.
registerHooks({
  resolve: (specifier, context, next) => {
    const [, name, door = ''] = /^@latchkey\/([\w-]+)((?:\/[\w-]+)*)$/.exec(specifier) ?? [];
    if (name === undefined) return next(specifier, context);
    const folder = new URL(`../../${name}/`, import.meta.url);
    const { exports } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as {
      exports: Record<string, string>;
    };
    return { url: new URL(exports[`.${door}`] ?? '', folder).href, shortCircuit: true };
  },
});

/** Says that the settings are wrong, and not this program. */
const wrongSettings = 78;

const { loadEnvironment, readConfig } = await import('./config.ts');
try {
  readConfig(loadEnvironment());
} catch (error) {
  printError(error instanceof Error ? error.message : String(error));
  process.exitCode = wrongSettings;
}
