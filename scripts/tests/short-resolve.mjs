// Loaded before each test file: finds modules on a shorter way. Node looks up each import anew, by the file system and by
// the nearest package.json, which is half of what loading costs. Whatever is not one of these two cases goes Node's way:
// - a relative import that names its file in full, as all of ours and most of the packages do;
// - a package that another file of the same workspace has imported before.
import { registerHooks } from 'node:module';

const relative = /^\.\.?\/.*\.(ts|mjs|js)$/;
/** Formats that follow from the name alone; of `.js` Node decides by the package. */
const formats = new Map([
  ['ts', 'module-typescript'],
  ['mjs', 'module'],
]);
const workspace = /\/(?:apps|packages)\/[^/]+\/(?!.*\/node_modules\/)/;
/** @type {Map<string, import('node:module').ResolveFnOutput>} */
const known = new Map();

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL, conditions, importAttributes } = context;
    if (parentURL === undefined || !conditions.includes('import') || Object.keys(importAttributes).length > 0)
      return next(specifier, context);
    const extension = relative.exec(specifier)?.[1];
    if (extension !== undefined) {
      const format = formats.get(extension);
      return { url: new URL(specifier, parentURL).href, ...(format && { format }), shortCircuit: true };
    }
    const place = specifier.startsWith('.') ? undefined : workspace.exec(parentURL);
    if (!place) return next(specifier, context);
    const key = `${parentURL.slice(0, place.index + place[0].length)} ${specifier}`;
    const found = known.get(key) ?? next(specifier, context);
    known.set(key, found);
    return { ...found, shortCircuit: true };
  },
});
