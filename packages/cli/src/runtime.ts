import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import type { Terminal } from './terminal.ts';

export const commandLine: readonly string[] = process.argv.slice(2);

/** This process as the commands see it. */
export const processTerminal: Terminal = {
  folder: process.cwd(),
  environment: process.env,
  print: (text) => void process.stdout.write(`${text}\n`),
  printError: (text) => void process.stderr.write(`${text}\n`),
  showProgress: (text) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${text}`);
  },
  wait: (ms) => setTimeout(ms),
  git: (args) =>
    new Promise((resolve) => {
      execFile('git', [...args], (error, stdout) => resolve(error === null ? stdout.trim() : undefined));
    }),
};

/** Ends the process once everything was printed. */
export function exit(code: number): void {
  // A reader that closes the pipe early, such as `| head`, is not an error.
  process.stdout.on('error', () => process.exit(code));
  process.stdout.write('', () => process.exit(code));
}
