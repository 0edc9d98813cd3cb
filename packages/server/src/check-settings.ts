// Checks the settings alone. It loads no package, so that a mistake is told before any is installed.
import { printError } from './cli/print.ts';
import { loadEnvironment, readConfig } from './config.ts';

try {
  readConfig(loadEnvironment());
} catch (error) {
  printError(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
