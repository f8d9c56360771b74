import type { ComponentProps, ReactNode } from 'react';

interface ButtonProps extends ComponentProps<'button'> {
  /** How it looks, such as `small` or `primary`. */
  look?: string;
}

/** A button that sends no form. */
export const Button = ({ look, ...props }: ButtonProps) => (
  <button type="button" className={look ? `button ${look}` : 'button'} {...props} />
);

interface CheckProps {
  label: ReactNode;
  checked: boolean;
  change(isChecked: boolean): void;
}

export const Check = ({ label, checked, change }: CheckProps) => (
  <label className="check">
    <input type="checkbox" checked={checked} onChange={({ target }) => change(target.checked)} />
    {label}
  </label>
);

interface SelectProps extends Omit<ComponentProps<'select'>, 'onChange' | 'className'> {
  options: readonly { value: string; text: string }[];
  change(value: string): void;
}

/** A choice of one of several. */
export const Select = ({ options, change, ...props }: SelectProps) => (
  <select className="input" onChange={({ target }) => change(target.value)} {...props}>
    {options.map(({ value, text }) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </select>
);

/** The options of a select from their texts. */
export const optionsOf = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([value, text]) => ({ value, text }));
