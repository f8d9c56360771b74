import { type FormEvent, useState } from 'react';
import { signIn, signInPath, signOutNotice, tokenIn, useProvider } from '../api/session.ts';
import { strings } from '../strings.ts';
import { Logo } from '../ui/icons.tsx';
import { InterfaceLinks } from './interface-links.tsx';

const text = strings.signIn;

export function SignIn() {
  const notice = signOutNotice();
  const provider = useProvider();
  const [error, setError] = useState(notice === 'rejected' ? text.rejected : undefined);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = tokenIn(String(new FormData(event.currentTarget).get('token')));
    if (token) return signIn(token);
    setError(text.malformed);
    event.currentTarget.querySelector('input')?.focus();
  };
  return (
    <main className="sign-in">
      <form className="card" onSubmit={submit}>
        <div className="row">
          <Logo />
          <h1>{text.title}</h1>
        </div>
        {notice === 'ended' && <p role="alert">{text.ended}</p>}
        {provider && (
          <>
            <a className="button primary" href={signInPath()}>
              {text.with(provider.name)}
            </a>
            <p className="small soft">{text.or}</p>
          </>
        )}
        <div className="field">
          <label htmlFor="token">{text.label}</label>
          <input
            id="token"
            name="token"
            type="password"
            className="input mono"
            autoComplete="off"
            // biome-ignore lint/a11y/noAutofocus: the page has nothing else
            autoFocus={!provider}
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
        <button type="submit" className={provider ? 'button' : 'button primary'}>
          {text.submit}
        </button>
      </form>
      <nav className="links small" aria-label={strings.header.links}>
        <InterfaceLinks />
      </nav>
    </main>
  );
}
