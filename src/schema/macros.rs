//! `record!` and `words!`: what an answer is made of, written once.

/// Declares a record of an output once: the Rust struct with its serde form, and its description.
///
/// `always` members are in every answer, `sometimes` members only where they apply.
#[macro_export]
macro_rules! record {
    (
        $(#[doc = $doc:literal])*
        $name:ident $(extends $base:ident as $base_field:ident)? {
            always { $( $(#[doc = $adoc:literal])* $afield:ident : $aty:ty, )* }
            $(sometimes { $( $(#[doc = $sdoc:literal])* $sfield:ident : $sty:ty, )* })?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $(
                /// The members of the record that this one extends.
                #[serde(flatten)]
                pub $base_field: $base,
            )?
            $( $(#[doc = $adoc])* pub $afield: $aty, )*
            $($( $(#[doc = $sdoc])* #[serde(skip_serializing_if = "Option::is_none")] pub $sfield: Option<$sty>, )*)?
        }

        impl $name {
            /// What the declarations and documents say of it.
            pub const RECORD: $crate::schema::Record = $crate::schema::Record {
                name: stringify!($name),
                doc: &[$($doc),*],
                extends: $crate::record!(@extends $($base)?),
                members: &[
                    $( $crate::schema::Member {
                        rust_name: stringify!($afield),
                        doc: &[$($adoc),*],
                        shape: <$aty as $crate::schema::Wire>::shape,
                        always: true,
                    }, )*
                    $($( $crate::schema::Member {
                        rust_name: stringify!($sfield),
                        doc: &[$($sdoc),*],
                        shape: <$sty as $crate::schema::Wire>::shape,
                        always: false,
                    }, )*)?
                ],
            };
        }

        impl $crate::schema::Wire for $name {
            fn shape() -> $crate::schema::TypeShape {
                $crate::schema::TypeShape::Named(stringify!($name))
            }
        }
    };
    (@extends) => { None };
    (@extends $base:ident) => { Some(&$base::RECORD) };
}

/// Declares an enumeration of words once: the Rust enum, its serde form and its description.
#[macro_export]
macro_rules! words {
    (
        $(#[doc = $doc:literal])*
        $name:ident { $( $(#[doc = $vdoc:literal])* $variant:ident = $word:literal, )* }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $( $(#[doc = $vdoc])* #[serde(rename = $word)] $variant, )*
        }

        impl $name {
            /// What the declarations and documents say of it.
            pub const ENUMERATION: $crate::schema::Enumeration = $crate::schema::Enumeration {
                name: stringify!($name),
                doc: &[$($doc),*],
                words: &[$($word),*],
            };

            /// The word as files and callers write it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }

            /// The variant that a word names.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $( $word => Some(Self::$variant), )* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::schema::Wire for $name {
            fn shape() -> $crate::schema::TypeShape {
                $crate::schema::TypeShape::Named(stringify!($name))
            }
        }
    };
}
