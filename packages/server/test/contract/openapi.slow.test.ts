import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { resources } from '@latchkey/core';
import { describeApi, type Resource } from '@latchkey/kernel';
import { readExamples } from '../../src/examples.ts';

interface SpectralProblem {
  code: string;
  severity: number;
  path: string[];
  source: string;
}

interface RedoclyReport {
  totals: { errors: number; warnings: number };
  problems: { ruleId: string; message: string; location: { pointer?: string }[] }[];
}

/** A few paths of the description with planted errors. What is excused for some paths is still found at others. */
function plantErrors(): object {
  const description = describeApi(resources as readonly Resource[], { serverUrl: 'http://latchkey.example' });
  const paths = description.paths as Record<string, unknown>;
  const few = {
    '/admin/everything': paths['/communities/{id}/admins'],
    '/keys/{token}': paths['/asset-verification/{token}'],
    '/states/{slug}': paths['/states/{slug}'],
    '/states/{other}': paths['/states/{slug}'],
  };
  return { ...description, paths: few };
}

describe('contract: openapi', () => {
  const root = resolve(import.meta.dirname, '../../../..');
  const run = promisify(execFile);
  let folder: string;
  const parts = ['published', 'own'] as const;
  let files: string[];
  let planted: string;
  let problems: readonly SpectralProblem[];

  const write = async (name: string, description: object) => {
    await writeFile(join(folder, name), JSON.stringify(description));
    return join(folder, name);
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-openapi-'));
    files = await Promise.all(
      parts.map((part) =>
        write(
          `${part}.json`,
          describeApi(resources as readonly Resource[], {
            serverUrl: 'https://latchkey.example',
            part,
            examples: readExamples(),
          }),
        ),
      ),
    );
    planted = await write('planted.json', plantErrors());
    // All files at once: reading the rules takes Spectral as long as applying them.
    problems = await spectral(...files, planted);
  });

  after(() => rm(folder, { recursive: true, force: true }));

  /** Runs the command of an installed package with the current Node. */
  async function lint(packageName: string, command: string, args: string[]): Promise<string> {
    const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
    const { bin } = (await import(manifest, { with: { type: 'json' } })).default as { bin: Record<string, string> };
    try {
      const { stdout } = await run(process.execPath, [join(dirname(manifest), bin[command] ?? ''), ...args], {
        cwd: root,
        maxBuffer: 1e8,
      });
      return stdout;
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  }

  async function spectral(...targets: string[]): Promise<SpectralProblem[]> {
    const options = ['--ruleset', '.spectral.yaml', '--format', 'json', '--quiet'];
    return JSON.parse(await lint('@stoplight/spectral-cli', 'spectral', ['lint', ...targets, ...options]));
  }

  /** Errors and warnings. */
  const faultsIn = (target: string) => problems.filter(({ severity, source }) => severity <= 1 && source === target);

  test('Spectral with the OWASP rules finds no error and no warning in the descriptions', () => {
    for (const file of files) {
      assert.ok(
        problems.some(({ source }) => source === file),
        'it reports less than it should about the description',
      );
      assert.deepEqual(
        faultsIn(file).map(({ code, path }) => `${code} at ${path.join('.')}`),
        [],
      );
    }
  });

  test('Spectral does find an error that is planted', () => {
    const codes = faultsIn(planted).map(({ code, path }) => `${code} ${path[1] ?? ''}`);
    const expected = [
      'owasp:api2:2023-no-credentials-in-url /keys/{token}',
      'owasp:api5:2023-admin-security-unique /admin/everything',
      'owasp:api8:2023-no-server-http 0',
      'path-params /states/{other}',
    ];
    for (const code of expected) assert.ok(codes.includes(code), `${code} is not among ${codes.join()}`);
  });

  test('Redocly finds no error and no warning in the descriptions', async () => {
    const options = ['--config', 'redocly.yaml', '--format', 'json'];
    for (const file of files) {
      const output = await lint('@redocly/cli', 'redocly', ['lint', file, ...options]);
      const { totals, problems: found } = JSON.parse(output.slice(output.indexOf('{'))) as RedoclyReport;
      assert.deepEqual(
        found.map(({ ruleId, message, location: [where] }) => `${ruleId} at ${where?.pointer}: ${message}`),
        [],
      );
      assert.deepEqual([totals.errors, totals.warnings], [0, 0]);
    }
  });

  test('the OpenAPI document lists exactly what is served', () => {
    const description = describeApi(resources as readonly Resource[], { serverUrl: 'https://latchkey.example' });
    const paths = description.paths as Record<string, Record<string, { operationId: string }>>;
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = (resources as readonly Resource[]).flatMap((resource) =>
      resource.operations.map((operation) => operation.route as string),
    );
    assert.deepEqual(described.sort(), served.sort());
  });
});
