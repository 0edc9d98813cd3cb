import { ApiError } from '@latchkey/client';
import { Button, Group, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { isObject } from '../is-object.ts';
import { Failure } from './query.tsx';

/** The state of what a form runs: an `Action`, or something of the same shape. */
export interface Submission {
  isRunning: boolean;
  error: unknown;
  answer?: unknown;
}

interface FormProps {
  /** The words of the button that submits. */
  submit: string;
  onSubmit(): void;
  /** Its progress disables the button, its error is shown above the buttons. */
  action?: Submission | undefined;
  canSubmit?: boolean;
  isDangerous?: boolean;
  /** The button is not the main one of the page. */
  isQuiet?: boolean;
  /** One line: fields and the button side by side. */
  isInline?: boolean;
  onCancel?: (() => void) | undefined;
  /** Said once it is saved. */
  saved?: string;
  /** More buttons beside the one that submits. */
  buttons?: ReactNode;
  children?: ReactNode;
}

/** Fields, what the server refused, and the buttons. What was typed stays until it is accepted. */
export function Form({
  submit,
  onSubmit,
  action,
  canSubmit = true,
  isDangerous = false,
  isQuiet = false,
  isInline = false,
  onCancel,
  saved,
  buttons,
  children,
}: FormProps) {
  const isSaved = saved !== undefined && action?.answer !== undefined && action.error === null;
  const submitButton = (
    <Button
      type="submit"
      {...(isQuiet && { variant: 'default' })}
      {...(isDangerous && { color: 'red' })}
      loading={action?.isRunning ?? false}
      disabled={!canSubmit}
    >
      {submit}
    </Button>
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        // A dialog inside of another form's component would submit that one too.
        event.stopPropagation();
        if (canSubmit) onSubmit();
      }}
    >
      {isInline ? (
        <Stack gap="sm">
          <Group align="end" gap="xs">
            {children}
            {submitButton}
            {buttons}
          </Group>
          <Failure error={action?.error} />
        </Stack>
      ) : (
        <Stack gap="md">
          {children}
          <Failure error={action?.error} />
          <Group justify="flex-end" gap="xs">
            {isSaved && <span role="status">{saved}</span>}
            {onCancel !== undefined && (
              <Button variant="default" onClick={onCancel}>
                Cancel
              </Button>
            )}
            {buttons}
            {submitButton}
          </Group>
        </Stack>
      )}
    </form>
  );
}

/** What is typed into a form. With the error of its action, each field shows what the server said about it. */
export function useForm<Values extends object>(first: Values, error?: unknown) {
  const [values, setValues] = useState(first);
  const set = (change: Partial<Values>) => setValues((before) => ({ ...before, ...change }));
  const field = <Name extends keyof Values>(name: Name) => ({
    value: values[name],
    error: fieldError(error, String(name)),
  });
  return {
    values,
    set,
    /** Empties the fields, or puts back what they began with. */
    reset: () => setValues(first),
    /** For inputs and text areas: `<TextInput {...form.text('name')} />`. */
    text: <Name extends keyof Values>(name: Name) => ({
      ...field(name),
      onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
        set({ [name]: currentTarget.value } as Partial<Values>),
    }),
    /** For inputs whose event is the value: selects, numbers, groups of boxes. A cleared select is ignored. */
    choice: <Name extends keyof Values>(name: Name) => ({
      ...field(name),
      // The component offers the choices that it was given, which are of this type.
      onChange: (value: unknown) => value !== null && set({ [name]: value } as Partial<Values>),
    }),
  };
}

/** VALIDATION_FAILED names each place that does not fit: `/name`. */
function fieldError(error: unknown, name: string): string | undefined {
  const details: unknown = error instanceof ApiError ? error.details : undefined;
  if (!Array.isArray(details)) return undefined;
  const found = details.find((one) => isObject(one) && String(one.path).split('/').at(-1) === name);
  return isObject(found) && typeof found.message === 'string' ? `It ${found.message}.` : undefined;
}
