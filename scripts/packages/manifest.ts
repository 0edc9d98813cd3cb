/** A package.json, as far as packages for others have one. */
export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  exports?: Record<string, string>;
  bin?: Record<string, string>;
  devDependencies?: Record<string, string>;
  [field: string]: unknown;
}

/** The package.json that is published: it leads to what was built, and names nothing that only this repository has. */
export function publicManifest(manifest: Manifest): Manifest & { files: string[] } {
  const { private: _private, devDependencies: _devDependencies, exports = {}, ...rest } = manifest;
  const { bin } = rest;
  const doors = Object.entries(exports).map(([door, source]) => {
    const built = source.replace(/^\.\/src\//, './dist/').replace(/\.tsx?$/, '');
    return [door, { types: `${built}.d.ts`, default: `${built}.js` }] as const;
  });
  return {
    ...rest,
    ...(doors.length > 0 && { exports: Object.assign({}, ...doors.map(([door, target]) => ({ [door]: target }))) }),
    files: bin ? ['bin', 'template'] : ['dist'],
  };
}
