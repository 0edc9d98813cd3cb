/**
 * Takes the names of source files out of the list of routes that readers get: they are of use on the server alone.
 * What it looks for is what Docusaurus 3.10 writes; should that change, the list stays as it is.
 */
export default function shrinkRegistry(source: string): string {
  return source.replace(/"[^"\n]*", (?=require\.resolveWeak\()/g, '0, ');
}
