import type { OperationModel } from '../../../reference/model.ts';
import styles from './console.module.css';
import { Field } from './field.tsx';
import { bodyKey, type Inputs, isForm, isSecretName, keyOf, type Problems } from './prepare.ts';

interface Props {
  operation: OperationModel;
  inputs: Inputs;
  problems: Problems;
  id: string;
  onChange: (inputs: Inputs) => void;
}

/** A field for each parameter, and the body. */
export function RequestFields(props: Props) {
  const { operation, inputs, problems, id, onChange } = props;
  return (
    <>
      {operation.parameters.length === 0 ? null : (
        <fieldset className={styles.group}>
          <legend>Parameters</legend>
          {operation.parameters.map((parameter) => {
            const key = keyOf(parameter);
            return (
              <Field
                key={key}
                id={`${id}-${key.replace(' ', '-')}`}
                field={parameter}
                place={parameter.in}
                value={inputs.parameters[key] ?? ''}
                problem={problems[key]}
                onChange={(value) => onChange({ ...inputs, parameters: { ...inputs.parameters, [key]: value } })}
              />
            );
          })}
        </fieldset>
      )}
      {operation.body === undefined ? null : isForm(operation) ? <FormBody {...props} /> : <JsonBody {...props} />}
    </>
  );
}

function FormBody({ operation, inputs, problems, id, onChange }: Props) {
  return (
    <fieldset className={styles.group}>
      <legend>Body, as a form</legend>
      {(operation.body?.fields ?? [])
        .filter(({ depth }) => depth === 0)
        .map((field) => (
          <Field
            key={field.name}
            id={`${id}-form-${field.name}`}
            field={field}
            value={inputs.form[field.name] ?? ''}
            isSecret={isSecretName(field.name)}
            problem={problems[field.name]}
            onChange={(value) => onChange({ ...inputs, form: { ...inputs.form, [field.name]: value } })}
          />
        ))}
    </fieldset>
  );
}

function JsonBody({ operation, inputs, problems, id, onChange }: Props) {
  const problem = problems[bodyKey];
  return (
    <fieldset className={styles.group}>
      <legend>Body{operation.body?.required ? '' : ' (optional)'}</legend>
      <div className={styles.field}>
        <label htmlFor={`${id}-json`}>JSON</label>
        <textarea
          id={`${id}-json`}
          className={styles.editor}
          rows={Math.min(18, Math.max(4, inputs.json.split('\n').length + 1))}
          spellCheck={false}
          autoCapitalize="none"
          value={inputs.json}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-json-note`}
          onChange={(event) => onChange({ ...inputs, json: event.target.value })}
        />
        <p className={styles.note} id={`${id}-json-note`} data-problem={problem !== undefined}>
          {problem ?? 'An example with what is required. The table above says what each field means.'}
        </p>
      </div>
    </fieldset>
  );
}
