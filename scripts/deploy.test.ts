import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { readConfig, signerReads, variables } from '@latchkey/server/facts';
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
  'LATCHKEY_PROXY_SUBNET',
  'LATCHKEY_RUNBOOKS_URL',
]);

interface Compose {
  services: Record<
    string,
    {
      read_only?: boolean;
      cap_drop?: string[];
      command?: string[];
      depends_on?: Record<string, { condition: string }> | string[];
      env_file?: { path: string; required?: boolean }[];
      environment?: Record<string, string>;
      image?: string;
      networks?: string[];
      ports?: string[];
    }
  >;
  configs?: Record<string, { content?: string }>;
  networks?: Record<string, { ipam?: { config: { subnet: string }[] } }>;
}
interface Peer {
  podSelector?: object;
  namespaceSelector?: object;
  ipBlock?: { cidr: string; except?: string[] };
}
interface Container {
  args?: string[];
  ports?: { name: string }[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  env?: { name: string; valueFrom?: { secretKeyRef?: { name: string; key: string; optional?: boolean } } }[];
  securityContext: { readOnlyRootFilesystem: boolean; allowPrivilegeEscalation: boolean };
}
interface Manifest {
  kind: string;
  metadata?: { name: string };
  spec?: {
    policyTypes?: string[];
    ingress?: { from?: Peer[] }[];
    egress?: { to?: Peer[]; ports?: { port: number }[] }[];
    podSelector?: object;
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

/** What Compose does with a text of its file: puts in the values of .env. */
function interpolate(text: string, dotEnv: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g, (_whole, name: string, kind: string, rest: string) => {
    const value = dotEnv[name] ?? '';
    assert.ok(kind !== '?' || value !== '', `${name} is required`);
    return value === '' && kind === '-' ? rest : value;
  });
}

/** The environment that a service of these Compose files gets, `environment` above `env_file`. */
function environmentOf(files: readonly Compose[], service: string, dotEnv: Readonly<Record<string, string>>) {
  const parts = files.flatMap(({ services }) => services[service] ?? []);
  const isPassedOn = parts.some(({ env_file = [] }) => env_file.some(({ path }) => path === '.env'));
  const own = Object.entries(
    Object.assign({}, ...parts.map(({ environment }) => environment)) as Record<string, string>,
  );
  return {
    ...(isPassedOn && dotEnv),
    ...Object.fromEntries(own.map(([name, value]) => [name, interpolate(value, dotEnv)])),
  };
}

const composeOf = (name: string) => readYaml(read(`deploy/compose/${name}.yaml`))[0] as Compose;
const settings = Object.keys(variables);
const marked = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `value-of-${name}`]));

/** Settings that the files set themselves, because they describe the containers, and those that only the signer may have. */
const notPassedOn: Readonly<Record<string, string>> = {
  DATABASE_URL: 'the database is a container of the file',
  LATCHKEY_TENANT_DATABASE_URL: 'the database is a container of the file',
  LATCHKEY_BASE_URL: 'follows from LATCHKEY_DOMAIN',
  LATCHKEY_HOST: 'a container listens for the other containers',
  LATCHKEY_PORT: 'Caddy connects to it',
  LATCHKEY_DATA_DIR: 'the volume is mounted there',
  LATCHKEY_METRICS_HOST: 'a container listens for the other containers',
  LATCHKEY_METRICS_PORT: 'the health check and Prometheus connect to it',
  LATCHKEY_SIGNER_DATABASE_URL: 'a secret of the signer',
  LATCHKEY_SIGNER_MASTER_KEYS: 'a secret of the signer',
};

describe('settings reach the processes', () => {
  const ofCompose = ['POSTGRES_PASSWORD', 'GRAFANA_ADMIN_PASSWORD', ...ofOthers];
  const dotEnv = marked([...settings, ...ofCompose]);

  test('every declared setting in .env reaches server, worker and migration of every set of Compose files', () => {
    for (const files of [[composeOf('compose')], [composeOf('compose'), composeOf('compose.scaled')]])
      for (const service of ['server', 'worker', 'migrate']) {
        const environment: Record<string, string> = environmentOf(files, service, dotEnv);
        for (const name of settings) {
          const value = environment[name] ?? '';
          const isTheirs = value.split(',').includes(`value-of-${name}`);
          assert.equal(isTheirs, !(name in notPassedOn), `${name} at ${service}`);
        }
      }
  });

  test('the signer gets what it reads and none of the servers’ secrets, and they get none of its secrets', () => {
    const files = [composeOf('compose'), composeOf('compose.scaled')];
    const signer = environmentOf(files, 'signer', dotEnv);
    const allowed: readonly string[] = [...signerReads, 'LATCHKEY_METRICS_HOST', 'LATCHKEY_METRICS_TOKEN'];
    for (const name of Object.keys(signer)) assert.ok(allowed.includes(name), name);
    // Of those it reads, the image sets where it runs; Node's own have no place in a settings file.
    for (const name of settings.filter((name) => signerReads.includes(name as (typeof signerReads)[number])))
      assert.ok(name in signer || ['LATCHKEY_DATA_DIR', 'LATCHKEY_HOST', 'LATCHKEY_PORT'].includes(name), name);
    assert.doesNotMatch(
      Object.values(signer).join('\n'),
      /MASTER_KEYS(?<!SIGNER_MASTER_KEYS)|(?:DATABASE|TENANT)_PASSWORD/,
    );
    for (const service of ['server', 'worker', 'migrate']) {
      const all = Object.values(environmentOf(files, service, dotEnv)).join('\n');
      assert.doesNotMatch(all, /value-of-(?:LATCHKEY_SIGNER_|POSTGRES_|GRAFANA_|LATCHKEY_ALERT_)/, service);
    }
  });

  test('with the sample filled in, the settings of each container are valid', () => {
    const names = [...read('deploy/compose/sample.env').matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);
    const key = (id: string) => `${id}:${Buffer.alloc(32, 7).toString('base64')}`;
    const filled = {
      ...Object.fromEntries(names.filter((name) => /PASSWORD|TOKEN/.test(name)).map((name) => [name, 'a'.repeat(48)])),
      LATCHKEY_DISCORD_BOT_TOKEN: '',
      LATCHKEY_DOMAIN: 'latchkey.example.org',
      LATCHKEY_MASTER_KEYS: key('k1'),
      LATCHKEY_SIGNER_MASTER_KEYS: key('s1'),
      LATCHKEY_ALERT_WEBHOOK: 'https://chat.example.org/hook',
      LATCHKEY_CHAIN_URLS: 'solana:mainnet-beta=https://one.example.org solana:mainnet-beta=https://two.example.org',
    };
    for (const service of ['server', 'worker', 'migrate', 'signer']) {
      const config = readConfig(environmentOf([composeOf('compose')], service, filled));
      assert.equal(config.baseUrl, 'https://latchkey.example.org', service);
      assert.equal(config.chainUrls.size, service === 'signer' ? 0 : 1, service);
      assert.deepEqual(
        [config.masterKeys.length, config.signer.masterKeys.length],
        service === 'signer' ? [0, 1] : [1, 0],
      );
    }
    const { services, networks } = composeOf('compose');
    const [{ subnet } = { subnet: '' }] = networks?.proxied?.ipam?.config ?? [];
    const { trustedProxies } = readConfig(environmentOf([composeOf('compose')], 'server', filled));
    assert.deepEqual(trustedProxies, [interpolate(subnet, {})]);
    // No other container may say which address a request comes from.
    const onIt = Object.entries(services).filter(([, { networks = [] }]) => networks.includes('proxied'));
    assert.deepEqual(
      onIt.map(([name]) => name),
      ['server', 'caddy'],
    );
    assert.deepEqual(services.caddy?.networks, ['proxied']);
  });

  test('on Kubernetes, whole Secrets reach the processes, and the signer has its own', () => {
    const sources = ({ containers }: { containers: Container[] }) =>
      containers.flatMap(({ envFrom = [] }) =>
        envFrom.map(({ configMapRef, secretRef }) => configMapRef?.name ?? `secret ${secretRef?.name}`),
      );
    for (const { kind, metadata, spec } of kubernetes()) {
      if (kind !== 'Deployment' && kind !== 'Job') continue;
      const pod = spec?.template?.spec;
      assert.ok(pod !== undefined);
      const isSigner = metadata?.name === 'signer';
      assert.deepEqual(
        sources(pod),
        ['latchkey', isSigner ? 'secret latchkey-signer' : 'secret latchkey'],
        metadata?.name,
      );
      // A variable of the container would win over the Secret.
      const own = pod.containers.flatMap(({ env = [] }) => env.map(({ name }) => name));
      assert.deepEqual(own, kind === 'Job' ? [] : ['LATCHKEY_METRICS_TOKEN'], metadata?.name);
    }
    const [{ data }] = readYaml(read('deploy/kubernetes/settings.yaml')) as [{ data: Record<string, string> }];
    assert.doesNotMatch(Object.keys(data).join(), /_KEY|TOKEN|SECRET|PASSWORD|DATABASE/);
  });

  test('with systemd, the settings file wins over the few settings of a unit, and the signer has its own file', () => {
    for (const path of units) {
      const files = [...read(path).matchAll(/^EnvironmentFile=(.+)$/gm)].map(([, file]) => file);
      const own = [...read(path).matchAll(/^Environment=(.+)$/gm)].flatMap(([, words = '']) => words.split(' '));
      const names = own.map((word) => word.split('=')[0] ?? '').filter((name) => settings.includes(name));
      assert.deepEqual(names, ['LATCHKEY_DATA_DIR', 'LATCHKEY_METRICS_PORT'], path);
      const [name = ''] = /latchkey-[^.]+(?=\.service)/.exec(path) ?? [];
      const special = { 'latchkey-signer': ['signer.env'], 'latchkey-drill': ['drill.env'] };
      const more = { 'latchkey-worker@': ['-worker-%i.env'], 'latchkey-backup': ['-backup.env'] };
      const expected = [
        ...(special[name as keyof typeof special] ?? ['latchkey.env']),
        ...(more[name as keyof typeof more] ?? []),
      ].map((file) => file.replace(/^-?/, (optional) => `${optional}/etc/latchkey/`));
      assert.deepEqual(files, expected, path);
    }
    const template = read('deploy/systemd/latchkey-worker@.service');
    for (const part of [
      'StateDirectory=latchkey-worker-%i',
      'LATCHKEY_DATA_DIR=/var/lib/latchkey-worker-%i ',
      'PORT=947%i',
    ])
      assert.ok(template.includes(part), part);
  });
});

interface CronJob {
  kind: string;
  metadata: { name: string };
  spec: {
    schedule: string;
    concurrencyPolicy: string;
    jobTemplate: {
      spec: {
        template: { spec: { containers: Container[]; volumes: { persistentVolumeClaim?: { claimName: string } }[] } };
      };
    };
  };
}

describe('nightly backups and drills', () => {
  const nightly = readYaml(read('deploy/kubernetes/nightly/nightly.yaml')) as CronJob[];
  const jobs = nightly.filter(({ kind }) => kind === 'CronJob');
  const commandIn = (unit: string) =>
    (/^ExecStart=.* main\.ts (.+)$/m.exec(read(`deploy/systemd/${unit}`).replace('src/cli/main', ' main')) ??
      [])[1]?.split(' ');

  test('both ways to install back up to a folder that keeps some, and record what a drill of it finds', () => {
    const backup = [
      commandIn('latchkey-backup.service'),
      jobs[0]?.spec.jobTemplate.spec.template.spec.containers[0]?.args,
    ];
    const drill = [
      commandIn('latchkey-drill.service'),
      jobs[1]?.spec.jobTemplate.spec.template.spec.containers[0]?.args,
    ];
    for (const words of backup) {
      assert.deepEqual([words?.[0], words?.includes('--keep')], ['backup', true]);
      assert.ok(Number(words?.at(-1)) >= 7);
    }
    for (const words of drill)
      assert.deepEqual([words?.[0], words?.slice(2)], ['drill', ['--max-age-hours', '30', '--record']]);
    assert.equal(jobs.length, 2);
  });

  test('the drill comes hours after the backup, every night', () => {
    const hours = ['backup', 'drill'].map((name) =>
      Number(/^OnCalendar=\*-\*-\* (\d+):00:00$/m.exec(read(`deploy/systemd/latchkey-${name}.timer`))?.[1]),
    );
    assert.deepEqual(hours, [2, 5]);
    assert.deepEqual(
      jobs.map(({ spec }) => Number(/^0 (\d+) \* \* \*$/.exec(spec.schedule)?.[1])),
      hours,
    );
    for (const { spec } of jobs) assert.equal(spec.concurrencyPolicy, 'Forbid');
  });

  test('on Kubernetes they share a volume, and only the drill has the signer’s master keys', () => {
    const claims = jobs.map(({ spec }) =>
      spec.jobTemplate.spec.template.spec.volumes.flatMap(
        ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [],
      ),
    );
    assert.deepEqual(claims, [['backups'], ['backups']]);
    assert.ok(nightly.some(({ kind, metadata }) => kind === 'PersistentVolumeClaim' && metadata.name === 'backups'));
    const sources = jobs.map(({ spec }) =>
      spec.jobTemplate.spec.template.spec.containers.flatMap(({ envFrom = [] }) =>
        envFrom.map(({ configMapRef, secretRef }) => configMapRef?.name ?? `secret ${secretRef?.name}`),
      ),
    );
    assert.deepEqual(sources, [
      ['latchkey', 'secret latchkey', 'secret latchkey-backup'],
      ['latchkey', 'secret latchkey', 'secret latchkey-drill'],
    ]);
  });
});

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
    assert.equal(open.length, 4);
    for (const { name, environment } of open) assert.match(environment?.LATCHKEY_METRICS_TOKEN ?? '', required, name);
    for (const { containers } of deployments())
      for (const { ports = [], env = [] } of containers) {
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

  test('PgBouncer is back as soon as PostgreSQL is', () => {
    assert.equal(composeOf('compose.scaled').services.pgbouncer?.environment?.SERVER_LOGIN_RETRY, '1');
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
      const { content = '' } = composeOf('compose.watch').configs?.runbooks ?? {};
      assert.match(
        interpolate(content, { LATCHKEY_RUNBOOKS_URL: 'https://git.example.org/' }),
        /"latchkey\.runbooks" \}\}https:\/\/git/,
      );
      writeFileSync(join(folder, 'runbooks.tmpl'), interpolate(content, {}));
      writeFileSync(join(folder, 'alerts.yaml'), read('deploy/prometheus/alerts.yaml'));
      writeFileSync(join(folder, name), text);
      const { status, stdout, stderr } = spawnSync(program, [...words, join(folder, name)], { encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
    }
  });

  test('each network policy names the peers of every rule', () => {
    const policies = kubernetes().filter(({ kind }) => kind === 'NetworkPolicy');
    assert.equal(policies.length, 6);
    const [deny, ...allowing] = policies;
    assert.deepEqual(deny?.spec, { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }, 'everything else is denied');
    for (const { metadata, spec } of allowing) {
      const rules = [...(spec?.ingress ?? []).map(({ from }) => from), ...(spec?.egress ?? []).map(({ to }) => to)];
      assert.ok(rules.length > 0, metadata?.name);
      for (const peers of rules) {
        assert.ok(peers !== undefined && peers.length > 0, `${metadata?.name} has a rule for all peers`);
        for (const { podSelector, namespaceSelector, ipBlock } of peers) {
          // The internet, without any private network.
          const own = ipBlock?.cidr === '::/0' ? ['fc00::/7'] : ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];
          const isInternet = own.every((range) => ipBlock?.except?.includes(range));
          assert.ok(ipBlock === undefined || !ipBlock.cidr.endsWith('/0') || isInternet, metadata?.name);
          for (const selector of [podSelector, namespaceSelector])
            assert.ok(
              selector === undefined || Object.keys(selector).length > 0,
              `${metadata?.name} selects everything`,
            );
        }
      }
    }
  });

  test('every pod may connect to the database and to DNS, and the signer to nothing else', () => {
    const nightly = readYaml(read('deploy/kubernetes/nightly/nightly.yaml')) as CronJob[];
    const components = [
      ...kubernetes().flatMap(({ spec }) => spec?.template?.metadata?.labels['app.kubernetes.io/component'] ?? []),
      ...nightly.flatMap(({ kind, metadata }) => (kind === 'CronJob' ? [metadata.name] : [])),
    ];
    assert.deepEqual(components.toSorted(), ['backup', 'drill', 'migrate', 'server', 'signer', 'worker']);
    const egressOf = (component: string) =>
      kubernetes().filter(
        ({ spec }) => spec?.egress !== undefined && JSON.stringify(spec.podSelector).includes(`"${component}"`),
      );
    for (const component of components) {
      const policies = egressOf(component);
      const ports = policies
        .flatMap(({ spec }) => spec?.egress ?? [])
        .flatMap(({ ports = [] }) => ports.map(({ port }) => port));
      assert.deepEqual([ports.includes(5432), ports.includes(53)], [true, true], component);
      const toInternet = policies.some(({ metadata }) => metadata?.name === 'to-internet');
      assert.equal(toInternet, component === 'server' || component === 'worker', component);
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
