/** @typedef {{ platform: string, arch: string, libc: 'glibc' | 'musl' | 'other', version: string }} Machine */

/** @returns {Machine} the machine and the Node.js this setup runs on */
export function thisMachine() {
  const { platform, arch, versions } = process;
  return { platform, arch, libc: platform === 'linux' ? linuxLibc() : 'other', version: versions.node };
}

function linuxLibc() {
  // Otherwise the report would look up host names, which can be slow.
  Object.assign(process.report, { excludeNetwork: true });
  const report = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return report.header?.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}
