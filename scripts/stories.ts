// Plays the stories of the published operations through the original SDK, and prints which of them were shown to be real.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const matrix = join(root, '.cache/stories.txt');

rmSync(matrix, { force: true });
const words = ['scripts/tests/run-tests.ts', 'test', 'packages/server/test/contract/sdk.slow.test.ts'];
const stories = spawn(process.execPath, words, { cwd: root, stdio: 'inherit' });
const [code] = await once(stories, 'exit');
if (existsSync(matrix)) process.stdout.write(`\n${readFileSync(matrix, 'utf8')}`);
if (code !== 0) console.error('A story failed, so the matrix above counts what was called, not what holds.');
process.exitCode = code ?? 1;
