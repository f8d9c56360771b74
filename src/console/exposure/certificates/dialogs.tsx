import { dialogOf } from '../../act/dialog.tsx';
import type { DialogProps } from '../../act/dialog-frame.tsx';
import { wordsOf } from '../../act/words.ts';
import type { FragmentOf } from '../../api/graphql.ts';
import type { CertificateParts } from '../../documents/certificates.ts';
import type { Values } from '../../form/values.ts';
import { inputOfPem, sortPem } from './pem.ts';
import { text } from './strings.ts';

export type Certificate = FragmentOf<typeof CertificateParts>;

/** The form for a certificate with its issuers, and its key, unless the key is among what was entered as the certificate. */
function pemForm({ chain = '' }: Values) {
  const hasKey = sortPem(String(chain)).keys.length > 0;
  return {
    first: hasKey ? (['chain'] as const) : (['chain', 'key'] as const),
    labels: text.fields,
    hints: text.hints,
    fields: {
      chain: {
        kind: 'file' as const,
        isMultiple: true,
        placeholder: text.paste,
        below: hasKey && <p role="status">{text.hasKey}</p>,
      },
      key: { kind: 'file' as const, placeholder: text.pasteKey },
      name: { placeholder: undefined },
    },
    also: ({ chain, key = '' }: Values) => inputOfPem(String(chain), String(key)),
  };
}

interface AddProps {
  /** The global id of the team. */
  team: string;
  close(): void;
  /** Called with the new certificate, instead of saying that it was added. */
  added?(certificate: Certificate): void;
}

export function AddCertificateDialog({ team, close, added }: AddProps) {
  return dialogOf(close, {
    ...wordsOf(text, 'add'),
    mutation: 'addCertificate',
    form(values) {
      const form = pemForm(values);
      return { ...form, first: [...form.first, 'name'] };
    },
    target: { team: { id: team } },
    done: (payload) => added?.((payload as { certificate: Certificate }).certificate),
  });
}

export function ReplaceCertificateDialog({
  certificate: { id, name, revision },
  close,
}: DialogProps<{ certificate: Certificate }>) {
  return dialogOf(close, {
    ...wordsOf(text, 'replace', name),
    mutation: 'replaceCertificate',
    form: pemForm,
    target: { certificate: { id }, expectedRevision: revision },
  });
}
