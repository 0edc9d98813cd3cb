export { createEnsNames, type EnsNamesOptions } from './create-ens-names.ts';
