import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingProblems } from './check-commands.ts';
import { type Problem, problemAt, type Sample } from './read-samples.ts';

const root = join(import.meta.dirname, '../../..');

/** Checks that a settings file sets existing settings to valid values. */
export function checkSettings(sample: Sample): Problem[] {
  return sample.text.split('\n').flatMap((line, index) => {
    if (/^(#.*)?$/.test(line)) return [];
    if (!/^[A-Z][A-Z0-9_]*=./.test(line)) return [problemAt(sample, 'is no setting such as NAME=value', index)];
    return settingProblems(line).map((text) => problemAt(sample, text, index));
  });
}

/** Checks that statements for the operator's own PostgreSQL are those that the compose file runs, except for the passwords. */
export function checkSql(sample: Sample): Problem[] {
  const run = readFileSync(join(root, 'deploy/compose/create-roles.sh'), 'utf8').replaceAll(/:'\w+'/g, "'…'");
  const known = new Set(run.split('\n'));
  return sample.text
    .split('\n')
    .flatMap((line, index) =>
      known.has(line) ? [] : [problemAt(sample, 'is no statement of deploy/compose/create-roles.sh', index)],
    );
}
