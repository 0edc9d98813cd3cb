/** @type {[RegExp, string][]} */
const reasons = [
  [/ENOSPC/, 'The disk is full. Free about 1 GB and run the command again.'],
  [
    /EACCES|EPERM|EROFS/,
    'A folder cannot be written. Run the command as the user who owns this clone, and check that the cache folder of ' +
      'npm (npm config get cache) can be written.',
  ],
  [
    /EINTEGRITY/,
    'A downloaded package is not the one in the lock file. Run "npm cache clean --force" and try again; if it stays, ' +
      'do not trust the package registry in use (npm config get registry).',
  ],
  [/E401|E403/, 'The package registry refused the download. Check its address and login (npm config get registry).'],
  [
    /ETARGET|E404|notarget/,
    'The package registry in use (npm config get registry) does not have a package that the lock file names.',
  ],
  [
    /EUSAGE|can only install packages when/,
    'package.json and package-lock.json do not agree. Run "npm install" and commit the new lock file.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|SOCKET_TIMEOUT|CERT|SELF_SIGNED/,
    'The package registry could not be reached. Check the network and the settings of npm (npm config get registry, ' +
      'npm config get proxy), then run the command again.',
  ],
];

const unknownReason = 'Read what npm says below, then run the command again.';
// npm leaves an optional package out without saying why.
const silentReason =
  'Either the package registry in use (npm config get registry) could not be reached or lacks them, or the cache ' +
  'folder of npm (npm config get cache) cannot be written. Check both, then run the command again.';

/**
 * Says why npm failed and what to do, followed by the end of what npm printed.
 * @param {{ output: string, folder: string, signal?: string | null, missing?: string[] }} failure
 */
export function explainNpmFailure({ output, folder, signal, missing = [] }) {
  const what = missing.length > 0 ? `these packages in ${folder}: ${missing.join(', ')}` : `the packages of ${folder}`;
  const known = reasons.find(([pattern]) => pattern.test(output))?.[1];
  const killed = `npm was killed (${signal}), perhaps for want of memory. Run the command again.`;
  const reason = signal ? killed : (known ?? (missing.length > 0 ? silentReason : unknownReason));
  const quoted = output.trim() && `\n${output.trim().replace(/^/gm, '  | ')}`;
  return `npm could not install ${what}. ${reason}${quoted}`;
}
