import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { errorCodes } from '@latchkey/kernel';
import { readYaml } from '@latchkey/test-kit';
import { latchkeyVersion } from '../version.ts';
import { createMetrics } from './create-metrics.ts';
import { type DeclaredMetric, declaredMetrics } from './declared.ts';

const root = resolve(import.meta.dirname, '../../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}
interface RuleFile {
  groups: { name: string; rules: Rule[] }[];
}
interface Dashboard {
  uid: string;
  title: string;
  panels: {
    id: number;
    type: string;
    title: string;
    description: string;
    gridPos: Place;
    targets: { expr: string }[];
  }[];
}
interface Place {
  x: number;
  y: number;
  w: number;
  h: number;
}

const rules = (readYaml(read('deploy/prometheus/alerts.yaml'))[0] as RuleFile).groups.flatMap((group) => group.rules);
const boards = globSync('deploy/grafana/*.json', { cwd: root }).map((path) => JSON.parse(read(path)) as Dashboard);
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...boards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))),
];

const overlap = (one: Place, other: Place) =>
  one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;

/** Returns the metrics in an expression, with the labels that it filters or groups by. */
function namedIn(expr: string): { name: string; labels: string[] }[] {
  return [...expr.matchAll(/\b(latchkey_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', picked = '']) => ({
    name,
    labels: [...picked.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label),
  }));
}

describe('dashboards and alerts', () => {
  test('every metric they name exists, with the labels they use', async () => {
    const metrics = createMetrics({ kind: 'server', readState: async () => [] });
    const text = await metrics.read();
    metrics.close();
    const ofNode = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
    const declared = new Map<string, DeclaredMetric>(Object.entries(declaredMetrics));
    assert.ok(expressions.length > 40);
    for (const expr of expressions) {
      const named = namedIn(expr);
      assert.ok(
        named.length > 0 || /\bup\{|\bprobe_\w+\{job="public-url"\}|\bnode_\w+\{job="database-host"/.test(expr),
        expr,
      );
      for (const { name, labels } of named) {
        const base = name.replace(/_(bucket|sum|count)$/, '');
        const metric =
          declared.get(name) ?? (declared.get(base)?.kind === 'histogram' ? declared.get(base) : undefined);
        assert.ok(metric !== undefined || ofNode.includes(name), `${name} in ${expr}`);
        for (const label of labels) assert.ok(metric?.labels.includes(label), `${label} of ${name} in ${expr}`);
      }
      const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
      const known = named.flatMap(({ name }) => declared.get(name.replace(/_bucket$/, ''))?.labels ?? []);
      for (const label of grouped)
        assert.ok([...known, 'le', 'instance', 'job', 'mountpoint'].includes(label), `${label} in ${expr}`);
    }
  });

  test('what each alert is about is on a panel, and the board of questions has a panel below each', () => {
    const seriesIn = (expr: string) =>
      [...expr.matchAll(/\b(?:latchkey|probe|node)_\w+|\bup(?=\{)/g)].map(([name]) => name);
    const shown = new Set(
      boards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => seriesIn(expr)))),
    );
    for (const { alert, expr } of rules)
      for (const name of seriesIn(expr)) assert.ok(shown.has(name), `${name} of ${alert} is on no panel`);
    const { panels = [] } = boards.find(({ uid }) => uid === 'latchkey-questions') ?? {};
    const questions = panels.filter(({ type }) => type === 'row');
    assert.ok(questions.length >= 6);
    for (const { title, gridPos } of questions) {
      assert.match(title, /\?$/);
      assert.ok(
        panels.some((panel) => panel.type !== 'row' && panel.gridPos.y === gridPos.y + 1),
        title,
      );
    }
    for (const one of panels)
      for (const other of panels)
        assert.ok(one.id >= other.id || !overlap(one.gridPos, other.gridPos), `${one.title} covers ${other.title}`);
  });

  test('error codes that an alert counts exist', () => {
    for (const [, list = ''] of expressions.join('\n').matchAll(/code=~"([^"]+)"/g))
      for (const code of list.split('|')) assert.ok(code in errorCodes, code);
  });

  test('each alert has a section in the manual, and no section is left over', () => {
    const manual = read('docs/watching.md');
    const [, alerts = ''] = manual.split('## The alerts');
    const sections = [...alerts.matchAll(/^### (\w+)\n\n(.+)\n\n1\. .+/gm)].map(([, name]) => name);
    assert.deepEqual(
      sections,
      rules.map(({ alert }) => alert),
    );
    for (const { alert, annotations, labels } of rules) {
      assert.equal(annotations.runbook, `docs/watching.md#${alert.toLowerCase()}`);
      assert.match(annotations.summary, /\.$/);
      assert.ok(['critical', 'warning', 'info'].includes(labels.severity), alert);
    }
  });

  test('the manual lists exactly the existing metrics', () => {
    const rows = [...read('docs/watching.md').matchAll(/^\| `(latchkey_\w+)` \| (\w+) \| (.*?) \| (.*) \|$/gm)];
    assert.deepEqual(
      rows.map(([, name, kind, labels, help]) => [name, kind, labels, help]),
      Object.entries(declaredMetrics).map(([name, { kind, labels, help }]) => [
        name,
        kind,
        labels.length === 0 ? '–' : labels.map((label) => `\`${label}\``).join(' '),
        help,
      ]),
    );
  });

  test('dashboards have unique ids, and every panel has a description', () => {
    assert.equal(new Set(boards.map(({ uid }) => uid)).size, boards.length);
    for (const { title, panels } of boards) {
      assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length, title);
      for (const panel of panels) assert.match(panel.description, /\.$/, panel.title);
    }
  });

  test('promtool accepts the alerts', (t) => {
    if (spawnSync('promtool', ['--version']).status !== 0) return t.skip('promtool is not installed on this machine.');
    const { status, stderr } = spawnSync('promtool', ['check', 'rules', join(root, 'deploy/prometheus/alerts.yaml')]);
    assert.equal(status, 0, String(stderr));
  });
});

test('the changelog starts with the current version', () => {
  const [, newest] = /^## (\d+\.\d+\.\d+)/m.exec(read('CHANGELOG.md')) ?? [];
  assert.equal(latchkeyVersion, newest);
});
