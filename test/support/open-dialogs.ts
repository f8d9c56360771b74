import type { Page } from 'playwright-core';

/** What a control has opened: the form of a mutation. */
interface OpenedForm {
  label: string;
  mutation: string;
  confirm: string;
}

/**
 * Opens what each control of a page opens, and closes it. Controls of the same name in one section are the same, and those
 * that were seen before are left out. It is one call, because each control would need a dozen of them.
 */
export async function openDialogs(page: Page, seen: Set<string>): Promise<OpenedForm[]> {
  const { forms, names } = await page.evaluate(openInPage, [...seen]);
  for (const name of names) seen.add(name);
  return forms;
}

async function openInPage(before: string[]) {
  const main = document.querySelector('main')!;
  const seen = new Set(before);
  const forms: { label: string; mutation: string; confirm: string }[] = [];
  let label = 'The page';
  const until = <T>(what: string, read: () => T | null | false) =>
    new Promise<T>((resolve, reject) => {
      const observer = new MutationObserver(() => look());
      // Waits on time: only to say what was missing.
      const failure = setTimeout(() => {
        observer.disconnect();
        reject(new Error(`${label} of ${location.pathname}: ${what}`));
      }, 60_000);
      const look = () => {
        const value = read();
        if (!value) return;
        observer.disconnect();
        clearTimeout(failure);
        resolve(value);
      };
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      look();
    });
  const untilLoaded = async (part: string) => {
    const isLoading = (each: Element) =>
      (each.ariaLabel ?? each.textContent).includes('Loading…') && each.checkVisibility();
    await until('does not finish loading', () => {
      const states = [...document.querySelectorAll(`${part} [role=status]`)];
      return document.querySelector(part) && !states.some(isLoading);
    });
    await (window as unknown as { whenSettled(): Promise<void> }).whenSettled();
  };
  const nameOf = (control: Element) =>
    [
      control.textContent.trim(),
      control.closest('section')?.querySelector('h2')?.textContent,
      control.getAttribute('aria-checked'),
    ].join();
  const openEach = async (selector: string, show = async () => {}) => {
    for (;;) {
      await show();
      // Read each time, because what a page loads comes between.
      const controls = [...document.querySelectorAll<HTMLElement>(selector)];
      const control = controls.find((each) => !seen.has(nameOf(each)));
      if (!control) return;
      label = nameOf(control);
      seen.add(label);
      control.click();
      // One whose code is loaded is replaced by another.
      const shown = 'dialog[open]';
      await untilLoaded(shown);
      const form = document.querySelector(`${shown} form[name]`);
      if (form) {
        const confirm = form.querySelector('button[type=submit]')!.textContent;
        forms.push({ label, mutation: form.getAttribute('name')!, confirm });
      }
      document.querySelector(shown)!.dispatchEvent(new Event('cancel', { cancelable: true }));
      await until('opens a dialog that stays', () => !document.querySelector('dialog'));
    }
  };

  await until('has no heading', () => main.querySelector('h1'));
  await untilLoaded('main');
  for (const fold of main.querySelectorAll<HTMLElement>('button[aria-expanded=false]'))
    if (fold.textContent.trim() === 'Snapshots') fold.click();
  await untilLoaded('main');
  await openEach('main :is([aria-haspopup=dialog], [role=switch]:enabled):not(.menu-panel *)');
  for (const menu of main.querySelectorAll<HTMLElement>('.menu > button')) {
    await openEach('main .menu-panel:not([hidden]) [aria-haspopup=dialog]', async () => {
      if (menu.ariaExpanded === 'false') menu.click();
      await until('does not open its menu', () => menu.ariaExpanded === 'true');
    });
    if (menu.ariaExpanded === 'true') menu.click();
    await until('does not close its menu', () => menu.ariaExpanded === 'false');
  }
  return { forms, names: [...seen] };
}
