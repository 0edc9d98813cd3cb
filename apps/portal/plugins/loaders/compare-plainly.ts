/**
 * Lets paths and names of properties be compared as they are. The first comparison by the rules of a language makes a
 * browser load them, which took longer than anything else before a page could be used.
 */
export default function comparePlainly(source: string): string {
  const plain = source.replace(/([\w[\].]+)\.localeCompare\(([\w[\].]+)\)/g, '($1 < $2 ? -1 : $1 > $2 ? 1 : 0)');
  if (plain === source)
    throw new Error('Docusaurus no longer compares by language here. Look at plugins/loaders/compare-plainly.ts.');
  return plain;
}
