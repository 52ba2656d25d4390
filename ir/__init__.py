"""The intermediate representation: values, dialect, text form, verifier and passes."""
