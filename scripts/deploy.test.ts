import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { variables } from '@latchkey/server/facts';
import { readYaml } from '@latchkey/test-kit';

const root = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const has = (program: string, argument: string) => spawnSync(program, [argument]).status === 0;
const units = globSync('deploy/systemd/*.service', { cwd: root });
const manifests = globSync('deploy/**/*.yaml', { cwd: root });

/** Names in these files that are settings of other programs, or set by compose. */
const ofOthers = new Set([
  'LATCHKEY_DATABASE_PASSWORD',
  'LATCHKEY_TENANT_PASSWORD',
  'LATCHKEY_SIGNER_PASSWORD',
  'LATCHKEY_DOMAIN',
  'LATCHKEY_IMAGE',
  'LATCHKEY_ALERT_WEBHOOK',
]);

interface Compose {
  services: Record<
    string,
    {
      read_only?: boolean;
      cap_drop?: string[];
      command?: string[];
      depends_on?: Record<string, { condition: string }> | string[];
      environment?: Record<string, string>;
      image?: string;
      ports?: string[];
    }
  >;
}
interface Peer {
  podSelector?: object;
  namespaceSelector?: object;
  ipBlock?: { cidr: string };
}
interface Container {
  args?: string[];
  ports: { name: string }[];
  env?: { name: string; valueFrom?: { secretKeyRef?: { name: string; key: string; optional?: boolean } } }[];
  securityContext: { readOnlyRootFilesystem: boolean; allowPrivilegeEscalation: boolean };
}
interface Manifest {
  kind: string;
  metadata?: { name: string };
  spec?: {
    policyTypes?: string[];
    ingress?: { from?: Peer[] }[];
    egress?: { to?: Peer[] }[];
    template?: {
      metadata?: { labels: Record<string, string> };
      spec: { securityContext: { runAsNonRoot: boolean }; containers: Container[] };
    };
  };
}
interface Scrapes {
  scrape_configs: {
    job_name: string;
    authorization?: { credentials_file?: string };
    dns_sd_configs?: { names: string[] }[];
  }[];
}

interface PodMonitor {
  spec: {
    selector: { matchExpressions: { key: string; values: string[] }[] };
    podMetricsEndpoints: { port: string; authorization: { credentials: { name: string; key: string } } }[];
  };
}

const composeFiles = () =>
  globSync('deploy/compose/*.yaml', { cwd: root }).map((path) => ({ path, ...(readYaml(read(path))[0] as Compose) }));
const kubernetes = () =>
  globSync('deploy/kubernetes/*.yaml', { cwd: root }).flatMap((path) => readYaml(read(path)) as Manifest[]);
const deployments = () =>
  kubernetes().flatMap(({ kind, spec }) => (kind === 'Deployment' ? (spec?.template?.spec ?? []) : []));
/** A value that Compose takes from the environment and requires to start. */
const required = /^\$\{[A-Z_]+:\?[^}]+\}$/;

describe('files to install Latchkey with', () => {
  test('every file can be read, and names only settings that exist', () => {
    const files = ['Dockerfile', 'deploy/compose/sample.env', 'deploy/compose/create-roles.sh', ...units, ...manifests];
    for (const path of files) {
      const text = read(path);
      if (path.endsWith('.yaml')) assert.ok(readYaml(text).length > 0, path);
      for (const [name] of text.matchAll(/\b(?:LATCHKEY_[A-Z_]*[A-Z]|DATABASE_URL)\b/g))
        assert.ok(Object.hasOwn(variables, name) || ofOthers.has(name), `${name} in ${path}`);
    }
  });

  test('every file that the image copies is in the clone, and is sent to the builder', () => {
    const ignored = read('.dockerignore').split('\n');
    const copies = [...read('Dockerfile').matchAll(/^COPY (?!--from)(?:--\S+ )*(.+)$/gm)];
    const sources = copies.flatMap(([, words = '']) => words.split(' ').slice(0, -1));
    assert.ok(sources.length > 6);
    for (const source of sources) {
      assert.ok(globSync(source, { cwd: root }).length > 0, source);
      const isSent = ignored.some((line) => line.startsWith('!') && source.startsWith(line.slice(1)));
      assert.ok(isSent, `${source} in .dockerignore`);
    }
  });

  test('the image runs as an unprivileged user, reports its health, and installs nothing when it starts', () => {
    const [, last = ''] = read('Dockerfile').split(/^FROM \$\{BASE_IMAGE\}$/m);
    assert.match(last, /^USER 10001:10001$/m);
    assert.match(last, /^HEALTHCHECK .*health\.mjs"\]$/m);
    assert.doesNotMatch(last, /npm|apt-get/);
    assert.match(read('deploy/image/latchkey'), /\bexec node /m);
    assert.ok((statSync(join(root, 'deploy/image/latchkey')).mode & 0o111) !== 0);
  });

  test('as the first process of a container, the command passes signals on and can be ended from inside', (t) => {
    const asFirst = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child'];
    if (spawnSync('unshare', [...asFirst, 'true']).status !== 0)
      return t.skip('This machine does not let an ordinary user make a namespace of processes.');
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-image-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const statusOf = (program: string) => {
      writeFileSync(join(folder, 'node'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
      const env = { PATH: `${folder}:/usr/bin:/bin` };
      return spawnSync('unshare', [...asFirst, join(root, 'deploy/image/latchkey'), 'server'], { env }).status;
    };
    assert.equal(statusOf('exit 7'), 7);
    assert.equal(statusOf('kill -ALRM $$'), 128 + 14, 'as the watchdog does');
    assert.equal(statusOf("trap 'exit 5' TERM\nwhile :; do kill -TERM 1; sleep 0.01; done"), 5);
  });

  test('the image has the Node that the setup pins', () => {
    const { optionalDependencies } = JSON.parse(read('scripts/runtime/package.json'));
    const [, version] = /^ARG NODE_IMAGE=(?:\S+\/)?node:([\d.]+)-/m.exec(read('Dockerfile')) ?? [];
    assert.deepEqual([...new Set(Object.values(optionalDependencies))], [version]);
  });

  test('containers cannot write their root file system, and have no extra capabilities', () => {
    const compose = readYaml(read('deploy/compose/compose.yaml'))[0] as Compose;
    for (const name of ['server', 'worker', 'signer']) {
      assert.equal(compose.services[name]?.read_only, true, name);
      assert.deepEqual(compose.services[name]?.cap_drop, ['ALL'], name);
    }
    assert.equal(compose.services.signer?.environment?.LATCHKEY_MASTER_KEYS, undefined);
    for (const { image } of Object.values(compose.services)) assert.doesNotMatch(image ?? '', /:latest$/);
    assert.equal(deployments().length, 3);
    for (const { securityContext, containers } of deployments()) {
      assert.equal(securityContext.runAsNonRoot, true);
      for (const one of containers)
        assert.deepEqual(
          [one.securityContext.readOnlyRootFilesystem, one.securityContext.allowPrivilegeEscalation],
          [true, false],
        );
    }
  });

  test('one step migrates the database before servers and workers start, in every kind of installation', () => {
    const { services } = readYaml(read('deploy/compose/compose.yaml'))[0] as Compose;
    assert.deepEqual(services.migrate?.command, ['migrate']);
    for (const name of ['server', 'worker'])
      assert.deepEqual(services[name]?.depends_on, { migrate: { condition: 'service_completed_successfully' } }, name);
    const jobs = kubernetes().filter(({ kind }) => kind === 'Job');
    assert.deepEqual(
      jobs.map(({ spec }) => spec?.template?.spec.containers.map(({ args }) => args)),
      [[['migrate']]],
    );
    assert.match(read('deploy/systemd/latchkey-migrate.service'), /^Type=oneshot$/m);
    assert.match(read('deploy/systemd/latchkey-migrate.service'), /^ExecStart=.* migrate$/m);
    for (const name of ['server', 'worker'])
      assert.match(read(`deploy/systemd/latchkey-${name}.service`), /^After=.*\blatchkey-migrate\.service$/m, name);
  });

  test('metrics that leave their machine require a token, and collectors send it', () => {
    const services = composeFiles().flatMap(({ path, services }) =>
      Object.entries(services).map(([name, service]) => ({ name: `${name} in ${path}`, ...service })),
    );
    const open = services.filter(({ environment }) => environment?.LATCHKEY_METRICS_HOST !== undefined);
    assert.equal(open.length, 3);
    for (const { name, environment } of open) assert.match(environment?.LATCHKEY_METRICS_TOKEN ?? '', required, name);
    for (const { containers } of deployments())
      for (const { ports, env = [] } of containers) {
        assert.ok(ports.some(({ name }) => name === 'metrics'));
        const token = env.find(({ name }) => name === 'LATCHKEY_METRICS_TOKEN')?.valueFrom?.secretKeyRef;
        assert.deepEqual(token, { name: 'latchkey-metrics', key: 'token' });
      }
    const [{ scrape_configs }] = readYaml(read('deploy/prometheus/prometheus.yaml')) as [Scrapes];
    const latchkeys = scrape_configs.filter(({ job_name }) => job_name.startsWith('latchkey-'));
    assert.equal(latchkeys.length, 3);
    for (const { job_name, authorization } of latchkeys)
      assert.match(authorization?.credentials_file ?? '', /^\/run\/secrets\//, job_name);
    // If a unit opens the port, it stays on the loopback address.
    for (const path of units) assert.doesNotMatch(read(path), /LATCHKEY_METRICS_HOST/, path);
  });

  test('dashboards require a password without a default, and Prometheus responds only to them', () => {
    const services = composeFiles().flatMap(({ services }) => Object.values(services));
    const dashboards = services.filter(({ image }) => image?.startsWith('grafana/grafana:'));
    assert.equal(dashboards.length, 1);
    for (const { environment = {} } of dashboards) {
      assert.match(environment.GF_SECURITY_ADMIN_PASSWORD ?? '', required);
      assert.equal(environment.GF_AUTH_ANONYMOUS_ENABLED, 'false');
    }
    const collectors = services.filter(({ image }) => image?.startsWith('prom/prometheus:'));
    assert.equal(collectors.length, 1);
    for (const { command } of collectors) assert.ok(command?.includes('--web.listen-address=127.0.0.1:9090'));
    const published = services.flatMap(({ image, ports = [] }) => (image?.startsWith('caddy:') ? [] : ports));
    for (const port of published) assert.match(port, /^127\.0\.0\.1:/);
  });

  test('collectors find every process by the name of its service or the labels of its pod', () => {
    const [{ scrape_configs }] = readYaml(read('deploy/prometheus/prometheus.yaml')) as [Scrapes];
    const { services } = readYaml(read('deploy/compose/compose.yaml'))[0] as Compose;
    for (const { job_name, dns_sd_configs } of scrape_configs.filter(({ job_name }) =>
      job_name.startsWith('latchkey-'),
    ))
      for (const name of dns_sd_configs?.flatMap(({ names }) => names) ?? [''])
        assert.ok(Object.hasOwn(services, name), `${name} of ${job_name}`);
    const [monitor] = readYaml(read('deploy/kubernetes/monitoring/pod-monitor.yaml')) as [PodMonitor];
    const { selector, podMetricsEndpoints } = monitor.spec;
    const components = kubernetes().flatMap(({ kind, spec }) =>
      kind === 'Deployment' ? (spec?.template?.metadata?.labels['app.kubernetes.io/component'] ?? []) : [],
    );
    assert.deepEqual(
      selector.matchExpressions.map(({ key, values }) => [key, values.toSorted()]),
      [['app.kubernetes.io/component', components.toSorted()]],
    );
    assert.deepEqual(
      podMetricsEndpoints.map(({ port, authorization }) => [port, authorization.credentials]),
      [['metrics', { name: 'latchkey-metrics', key: 'token' }]],
    );
  });

  test('promtool and amtool accept the collector and where its alerts go', (t) => {
    if (!has('promtool', '--version') || !has('amtool', '--version'))
      return t.skip('promtool and amtool are not installed on this machine.');
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-watch-'));
    t.after(() => rmSync(folder, { recursive: true }));
    for (const [program, words, name] of [
      ['promtool', ['check', 'config'], 'prometheus.yaml'],
      ['amtool', ['check-config'], 'alertmanager.yaml'],
    ] as const) {
      // The files that containers mount are not here.
      const text = read(`deploy/prometheus/${name}`).replaceAll(/\/(?:run|etc)\/[\w/.-]+\/(?=[\w.-]+)/g, `${folder}/`);
      for (const mounted of ['latchkey-metrics-token', 'latchkey-alert-webhook', 'public-url.json'])
        writeFileSync(join(folder, mounted), '[]');
      writeFileSync(join(folder, 'alerts.yaml'), read('deploy/prometheus/alerts.yaml'));
      writeFileSync(join(folder, name), text);
      const { status, stdout, stderr } = spawnSync(program, [...words, join(folder, name)], { encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
    }
  });

  test('each network policy names the peers of every rule', () => {
    const policies = kubernetes().filter(({ kind }) => kind === 'NetworkPolicy');
    assert.equal(policies.length, 3);
    for (const { metadata, spec } of policies) {
      const rules = [...(spec?.ingress ?? []).map(({ from }) => from), ...(spec?.egress ?? []).map(({ to }) => to)];
      assert.ok(rules.length > 0, metadata?.name);
      for (const peers of rules) {
        assert.ok(peers !== undefined && peers.length > 0, `${metadata?.name} has a rule for all peers`);
        for (const { podSelector, namespaceSelector, ipBlock } of peers) {
          assert.ok(ipBlock === undefined || !ipBlock.cidr.endsWith('/0'), metadata?.name);
          for (const selector of [podSelector, namespaceSelector])
            assert.ok(
              selector === undefined || Object.keys(selector).length > 0,
              `${metadata?.name} selects everything`,
            );
        }
      }
    }
  });

  test('files that a compose file or a kustomization names exist', () => {
    const { resources } = readYaml(read('deploy/kubernetes/kustomization.yaml'))[0] as { resources: string[] };
    for (const path of resources) assert.ok(existsSync(join(root, 'deploy/kubernetes', path)), path);
    for (const path of globSync('deploy/compose/*.yaml', { cwd: root }))
      for (const [, source = ''] of read(path).matchAll(/^ +- (\.[^:]+):\//gm))
        assert.ok(existsSync(join(root, 'deploy/compose', source)), `${source} in ${path}`);
  });

  test('systemd accepts the units', (t) => {
    if (!has('systemd-analyze', '--version')) return t.skip('systemd-analyze is not installed on this machine.');
    for (const path of units) {
      const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', join(root, path)], { encoding: 'utf8' });
      const name = path.split('/').at(-1) ?? path;
      // The program is not installed here, and other units of this machine do not matter.
      const problems = stderr
        .split('\n')
        .filter((line) => line.includes(name) && !/not executable|Failed to create/.test(line));
      assert.deepEqual(problems, []);
    }
  });

  test('kubectl can build the base', (t) => {
    if (!has('kubectl', '--help')) return t.skip('kubectl is not installed on this machine.');
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', join(root, 'deploy/kubernetes')], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    assert.equal(stdout.match(/^kind: Deployment$/gm)?.length, 3);
  });
});
