import { cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleTool } from './bundle-tool.ts';
import { root, runCompiler } from './run-tool.ts';

/** A published package, by its folder below `packages/`. */
export interface Publishable {
  folder: string;
  /** Returns sources that are generated during the build, by their path. */
  generate?(): Record<string, string>;
  /** Sources that only this repository needs. */
  leaveOut?: readonly string[];
  /** Types of its runtime, beyond those that Node and browsers share. */
  types?: readonly string[];
  /** For a command line tool: its files, by name, each bundled from a source with everything that this imports. */
  tool?: Readonly<Record<string, string>>;
  /** Further files that are generated during the build, by their path. */
  files?(): Record<string, string>;
  /** Packages whose tarballs it includes, by their target folder. They come before it in the list. */
  bundles?: Readonly<Record<string, string>>;
}

const compilerOptions = {
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  jsx: 'react-jsx',
  strict: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: true,
  rewriteRelativeImportExtensions: true,
  declaration: true,
  noEmitOnError: true,
  rootDir: 'src',
};
const commonJsFolder = 'dist/cjs';

/** Builds a package into a separate folder, as it will be installed: JavaScript, types, README and license. */
export async function buildPackage(each: Publishable, home: string): Promise<string> {
  const source = join(root, 'packages', each.folder);
  const target = join(home, each.folder);
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as Manifest;
  await writeFile(join(target, 'package.json'), `${JSON.stringify(publicManifest(manifest, each), undefined, 2)}\n`);
  await cp(join(source, 'README.md'), join(target, 'README.md'));
  await cp(join(root, 'LICENSE'), join(target, 'LICENSE'));
  if (each.tool !== undefined) await bundleTool(each.tool, target);
  else if (manifest.exports !== undefined) await compileSources(each, source, target);
  for (const [path, text] of Object.entries(each.files?.() ?? {})) await writeFile(join(target, path), text);
  if (manifest.bin !== undefined && each.tool === undefined)
    for (const folder of ['bin', 'template']) await cp(join(source, folder), join(target, folder), { recursive: true });
  return target;
}

async function compileSources(
  { generate, leaveOut = [], types = [] }: Publishable,
  source: string,
  target: string,
): Promise<void> {
  await cp(join(source, 'src'), join(target, 'src'), {
    recursive: true,
    filter: (path) => !/\.test\.tsx?$/.test(path),
  });
  for (const path of leaveOut) await rm(join(target, path));
  for (const [path, text] of Object.entries(generate?.() ?? {})) await writeFile(join(target, path), text);
  await compile(target, { ...compilerOptions, types, outDir: 'dist' });
  // Node 20 cannot load ES modules with `require` before 20.19.
  await compile(target, {
    ...compilerOptions,
    types,
    module: 'commonjs',
    moduleResolution: 'bundler',
    verbatimModuleSyntax: false,
    outDir: commonJsFolder,
  });
  await writeFile(join(target, commonJsFolder, 'package.json'), '{ "type": "commonjs", "sideEffects": false }\n');
  await nameBuiltTypes(join(target, 'dist'));
}

async function compile(folder: string, options: object): Promise<void> {
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['src'] }));
  await runCompiler(folder);
}

/** The compiler keeps source file names in type imports, and sources are not published. */
async function nameBuiltTypes(folder: string): Promise<void> {
  for await (const path of glob('**/*.d.ts', { cwd: folder })) {
    const text = await readFile(join(folder, path), 'utf8');
    await writeFile(join(folder, path), text.replaceAll(/(from |import\()(['"])(\.[^'"]*)\.tsx?\2/g, '$1$2$3.js$2'));
  }
}

/** The fields of package.json that published packages use. */
interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  exports?: Record<string, string>;
  bin?: Record<string, string>;
  devDependencies?: Record<string, string>;
  [field: string]: unknown;
}

/** Returns the published package.json: it points to the build output, and contains nothing that only this repository has. */
function publicManifest(manifest: Manifest, { tool }: Publishable): Record<string, unknown> {
  const { private: _private, devDependencies: _devDependencies, exports = {}, ...rest } = manifest;
  const { bin } = rest;
  if (tool !== undefined) {
    const { dependencies: _dependencies, ...bundled } = rest;
    return { ...bundled, files: ['dist'] };
  }
  const entries = Object.entries(exports).map(([entry, source]) => {
    const name = source.replace(/^\.\/src\//, '').replace(/\.tsx?$/, '');
    return { entry, esm: builtFiles('dist', name), commonJs: builtFiles(commonJsFolder, name) };
  });
  const [main] = entries;
  return {
    ...rest,
    ...(main !== undefined && {
      // For tools that do not know `exports`.
      main: main.commonJs.default,
      types: main.commonJs.types,
      typesVersions: {
        '*': Object.fromEntries(entries.map(({ entry, commonJs }) => [entry.replace('./', ''), [commonJs.types]])),
      },
      exports: Object.fromEntries(
        entries.map(({ entry, esm, commonJs }) => [entry, { import: esm, require: commonJs }]),
      ),
    }),
    files: bin ? ['bin', 'template'] : ['dist'],
  };
}

function builtFiles(folder: string, name: string): { types: string; default: string } {
  return { types: `./${folder}/${name}.d.ts`, default: `./${folder}/${name}.js` };
}
