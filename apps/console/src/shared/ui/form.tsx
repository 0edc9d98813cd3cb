import { Button, Group, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { t } from '../messages/index.ts';
import { refusedFieldsOf } from '../refused-fields.ts';
import { Failure } from './query.tsx';

/** The state of what a form runs: an `Action`, or something of the same shape. */
export interface Submission {
  isRunning: boolean;
  error: unknown;
  answer?: unknown;
}

interface FormProps {
  /** The text of the submit button. */
  submit: string;
  onSubmit(): void;
  /** Its progress disables the button; its error is shown above the buttons. */
  action?: Submission | undefined;
  canSubmit?: boolean;
  isDangerous?: boolean;
  /** The button is not the primary one of the page. */
  isQuiet?: boolean;
  /** One line: fields and the button side by side. */
  isInline?: boolean;
  onCancel?: (() => void) | undefined;
  /** Shown once it is saved. */
  saved?: string;
  /** More buttons beside the submit button. */
  buttons?: ReactNode;
  children?: ReactNode;
}

/** Fields, the server's error, and the buttons. What was typed stays until it is accepted. */
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
        // A dialog inside another form's component would submit that form too.
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
              <Button variant="default" data-cancel onClick={onCancel}>
                {t('common.cancel')}
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

/** The values of a form. With the error of its action, each field shows the server's message about it. */
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
    /** Resets the fields to their initial values. */
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
      // The component only offers choices of this type.
      onChange: (value: unknown) => value !== null && set({ [name]: value } as Partial<Values>),
    }),
  };
}

function fieldError(error: unknown, name: string): string | undefined {
  return refusedFieldsOf(error).find((field) => field.name === name)?.sentence;
}
