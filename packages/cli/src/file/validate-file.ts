import { fileSchema } from '@latchkey/core/rule-files';
import { createAjv } from '@latchkey/kernel/validate';

/** Options of the validator of files. */
export const validatorOptions = { allErrors: true, allowUnionTypes: true, verbose: true };

/** Compiled when it is loaded. The console’s build compiles it instead, because no text can become code in its pages. */
export const validate = createAjv(validatorOptions).compile(fileSchema);
