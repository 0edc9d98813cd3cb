// Checks only the settings. It runs without installed packages, so that mistakes are reported before the installation.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { printError } from './cli/print.ts';

// The installation creates the links to our own packages, so resolve those from their folders.
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

const { loadEnvironment, readConfig, wrongSettingsCode } = await import('./config.ts');
try {
  readConfig(loadEnvironment());
} catch (error) {
  printError(error instanceof Error ? error.message : String(error));
  process.exitCode = wrongSettingsCode;
}
