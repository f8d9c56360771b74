import { type RefObject, useEffect } from 'react';

const controls = 'input, select, textarea, button';

/**
 * Moves the focus to the first field with an error whenever a form has failed, or to the error that belongs to no field.
 * `failure` is another object for each failure.
 */
export function useFirstWrong(form: RefObject<HTMLElement | null>, failure: unknown): void {
  useEffect(() => {
    if (!failure) return;
    const [wrong] = form.current?.querySelectorAll<HTMLElement>('[aria-invalid="true"], .field-error') ?? [];
    if (wrong) return (wrong.matches(controls) ? wrong : controlOf(wrong))?.focus();
    const alert = form.current?.querySelector<HTMLElement>('[role="alert"]');
    if (!alert) return;
    alert.tabIndex = -1;
    alert.focus();
  }, [form, failure]);
}

/** The first control of the field that an error is shown in. */
const controlOf = (error: HTMLElement) =>
  error.closest('.field, fieldset, li')?.querySelector<HTMLElement>(controls);
