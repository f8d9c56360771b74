import { type FormEvent, useState } from 'react';
import { signIn, signOutNotice, tokenIn } from '../api/session.ts';
import { strings } from '../strings.ts';
import { Logo } from '../ui/icons.tsx';
import { InterfaceLinks } from './interface-links.tsx';

const text = strings.signIn;

export function SignIn() {
  const [error, setError] = useState(signOutNotice() && text.rejected);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = tokenIn(String(new FormData(event.currentTarget).get('token')));
    if (token) signIn(token);
    else setError(text.malformed);
  };
  return (
    <main className="sign-in">
      <form className="card" onSubmit={submit}>
        <div className="row">
          <Logo />
          <h1>{text.title}</h1>
        </div>
        <div className="field">
          <label htmlFor="token">{text.label}</label>
          <input
            id="token"
            name="token"
            type="password"
            className="input mono"
            autoComplete="off"
            // biome-ignore lint/a11y/noAutofocus: the page has nothing else
            autoFocus
            required
            aria-invalid={Boolean(error)}
            aria-describedby="token-hint"
          />
          {error && (
            <p className="field-error" role="alert">
              {error}
            </p>
          )}
          <p id="token-hint" className="small soft">
            {text.hint} {text.demo}
          </p>
        </div>
        <button type="submit" className="button primary">
          {text.submit}
        </button>
      </form>
      <nav className="links small" aria-label={strings.header.links}>
        <InterfaceLinks />
      </nav>
    </main>
  );
}
