import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const program = '/usr/sbin/apache2';
const modules = '/usr/lib/apache2/modules';
const patienceMs = 20_000;

/** Returns what is missing to run Apache with mod_auth_openidc, as a sentence; undefined if nothing is. */
export function missingApache(): string | undefined {
  if (existsSync(program) && existsSync(join(modules, 'mod_auth_openidc.so'))) return undefined;
  return 'This needs Apache with mod_auth_openidc, an OpenID Connect client written in C. On Debian and Ubuntu:\n  apt-get install --no-install-recommends apache2-bin libapache2-mod-auth-openidc';
}

export function apacheVersion(): string {
  try {
    const module = execFileSync('dpkg-query', ['-W', 'libapache2-mod-auth-openidc']);
    return `mod_auth_openidc ${module.toString().trim().split('\t').at(-1)}`;
  } catch {
    return 'mod_auth_openidc';
  }
}

export interface ApacheOptions {
  port: number;
  issuer: string;
  clientId: string;
  clientSecret: string;
  scope: string;
}

export interface Apache {
  url: string;
  /** Returns its error log. */
  log(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts an Apache with one page for signed-in users only, which shows the user in the header x-person. */
export async function startApache(options: ApacheOptions): Promise<Apache> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-apache-'));
  await mkdir(join(folder, 'pages'));
  await writeFile(join(folder, 'pages/index.html'), 'for members only\n');
  // Started by root, Apache serves as `nobody`, who may read the page but not the secret.
  await writeFile(join(folder, 'apache.conf'), writeConfig(folder, options), { mode: 0o600 });
  await chmod(folder, 0o755);
  const child = spawn(program, ['-f', join(folder, 'apache.conf'), '-D', 'FOREGROUND'], { stdio: 'ignore' });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async () => {
    if (!hasEnded()) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${options.port}`;
  const log = () => readFile(join(folder, 'error.log'), 'utf8').catch(() => '');
  const deadline = performance.now() + patienceMs;
  while (!(await answers(url))) {
    if (hasEnded() || performance.now() > deadline) {
      const complaints = await log();
      await stop();
      throw new Error(`Apache did not start:\n${complaints}`);
    }
    await sleep(50);
  }
  return { url, log, stop };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url, { redirect: 'manual' }).then(
    () => true,
    () => false,
  );
}

function writeConfig(folder: string, { port, issuer, clientId, clientSecret, scope }: ApacheOptions): string {
  const load = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'dir', 'headers', 'auth_openidc'];
  return `ServerRoot "${folder}"
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile "${folder}/apache.pid"
ErrorLog "${folder}/error.log"
LogLevel warn
${load.map((name) => `LoadModule ${name}_module "${modules}/mod_${name}.so"`).join('\n')}
User nobody
Group nogroup
DocumentRoot "${folder}/pages"
DirectoryIndex index.html
<Directory "/">
  AllowOverride None
</Directory>
OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID ${clientId}
OIDCClientSecret ${clientSecret}
OIDCScope "${scope}"
OIDCPKCEMethod S256
OIDCRedirectURI http://127.0.0.1:${port}/back
OIDCCryptoPassphrase ${clientId}
OIDCCacheShmMax 64
OIDCPassClaimsAs environment
OIDCCookieSameSite On
<Location "/">
  AuthType openid-connect
  Require valid-user
  Header always set x-person "%{OIDC_CLAIM_sub}e"
  Header always set x-name "%{OIDC_CLAIM_name}e"
</Location>
`;
}
