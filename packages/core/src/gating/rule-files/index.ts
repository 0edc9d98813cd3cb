// Files of rules: their format, and their tests. Nothing here reads a database or the network, so the command line bundles it.
export {
  type Fields,
  fromComposition,
  fromDefinition,
  normalForm,
  placeInFile,
  toComposition,
  toDefinition,
} from './definition.ts';
export { rulesFileSchema } from './schema.ts';
export { assetOf, decideTest, type TestMember } from './tests.ts';
