import { nearestName } from '@latchkey/kernel/nearest-name';

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of the deployment files, of clients and samples, and of test and build scripts. */
const ofOthers = new Set(
  [
    ...[
      'DATABASE_PASSWORD',
      'TENANT_PASSWORD',
      'SIGNER_PASSWORD',
      'DOMAIN',
      'IMAGE',
      'ALERT_WEBHOOK',
      'PROXY_SUBNET',
      'RUNBOOKS_URL',
    ],
    ...['URL', 'API_KEY', 'AE_TOKEN', 'ACTION_KEY', 'CLIENT_ID', 'CLIENT_SECRET', 'WEBHOOK_SECRET', 'ECDSA_KEY'],
    ...['PLAN_KEY', 'APPLY_KEY', 'GITLAB_TOKEN', 'COMMENT_AUTHOR', 'SUPPORT_URL'],
    ...['ORIGINAL_LIBRARY', 'SCHEMATHESIS', 'DISCORD_OPENAPI', 'DISCORD_EXCHANGES', 'PLACE_AMONG_PROCESSES'],
  ].map((name) => `LATCHKEY_${name}`),
);
const ofScripts = /^LATCHKEY_(TEST|RECORD|CHROMIUM|BENCH|STRIPE_MOCK)/;
/** Kubernetes adds these for a service whose name begins with latchkey, unless `enableServiceLinks` is false. */
const ofServiceLinks = /_(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP)(_(ADDR|PORT|PROTO))?)$/;

/** Returns environment variables that look like settings but are none. */
export function unknownSettings(environment: Environment, known: readonly string[]): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('LATCHKEY_') && (environment[name] ?? '') !== '' && !known.includes(name))
    .filter((name) => !ofOthers.has(name) && !ofScripts.test(name) && !ofServiceLinks.test(name))
    .toSorted();
}

/** Those whose name is so close to that of a setting that it must be meant, with that setting. */
export function misspeltSettings(
  environment: Environment,
  known: readonly string[],
): { name: string; meant: string }[] {
  return unknownSettings(environment, known).flatMap((name) => {
    // A short name is close to many, so it may differ by less.
    const furthest = Math.min(4, Math.floor((name.length - 'LATCHKEY_'.length) / 3));
    const meant = nearestName(name, known, furthest);
    return meant === undefined ? [] : [{ name, meant }];
  });
}
