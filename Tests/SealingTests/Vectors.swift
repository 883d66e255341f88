@testable import Sealing

/// Keys and bodies of published examples. The private keys are printed in RFCs: they protect
/// nothing.
enum Vectors {
    static let bobSPKI = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEweNJy2HscCSM6AEDTDg04biOvhFh
        yyWvOHQfeF/PxMR7yWcI74CVK1P40lVf5yuEHtBFiGKLHTeKWUk5UA7JyQ==
        -----END PUBLIC KEY-----
        """
    /// The same key as `openssl ec` writes it.
    static let bobTraditional = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIFRJg2aQ11yvKfDdAp3bMbPduKup0tUVxQEkZegX1KncoAoGCCqGSM49
        AwEHoUQDQgAEweNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF/PxMR7yWcI74CV
        K1P40lVf5yuEHtBFiGKLHTeKWUk5UA7JyQ==
        -----END EC PRIVATE KEY-----
        """
    /// The same key behind the passphrase `x`.
    static let bobEncrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIH0MF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBDe0vPOnNWh9pBXSdm4
        pqnSAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQqRmZ0prYylVL5DHJ
        ndrUMQSBkE3auNrCG4ATbgFFhwY5Agc/E3AdVmfwyQy3dKTto/QGmk5qNzGq8x8E
        IdxE+GC2Fe8NR1HtmES36pIuqQVxmGy44JH/Im9dToOm12XTx3L3imLEndX5r5ni
        bKubFegZ4aRGEn4VKAF8nvYwh9+IphUDxDrAKxWbn2Qe8pqTZuO6X3pLIxzvpN1Z
        1bfRDxMvcQ==
        -----END ENCRYPTED PRIVATE KEY-----
        """
    static let rsaSPKI = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAoahUIoWw0K0usKNuOR6H
        4wkf4oBUXHTxRvgb48E+BVvxkeDNjbC4he8rUWcJoZmds2h7M70imEVhRU5djINX
        tqllXI4DFqcI1DgjT9LewND8MW2Krf3Spsk/ZkoFnilakGygTwpZ3uesH+PFABNI
        UYpOiN15dsQRkgr0vEhxN92i2asbOenSZeyaxziK72UwxrrKoExv6kc5twXTq4h+
        QChLOln0/mtUZwfsRaMStPs6mS6XrgxnxbWhojf663tuEQueGC+FCMfra36C9knD
        FGzKsNa7LZK2djYgyD3JR/MB/4NUJW/TqOQtwHYbxevoJArm+L5StowjzGy+/bq6
        GwIDAQAB
        -----END PUBLIC KEY-----
        """
    /// On P-384.
    static let otherCurvePEM = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAAAAAAAAAAAAAAAAAA
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACvcVF1rS4ehZANiAASfJ0Obd3vm
        7YwEoTdI2kKc1QHGZZjforfcmsxEasMaB4aOzKm6cHjvjMr4oD0qasD9y4Q+SOSM
        p/Uy8nt682qFtDfkDkrxXNEBwmSUkUfRdFmPBh7wSZ0yIV+EzB2MOO8=
        -----END PRIVATE KEY-----
        """
    /// On secp256k1, as long as P-256.
    static let bitcoinCurvePEM = """
        -----BEGIN PRIVATE KEY-----
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgAAAAAAAAAAAAAAAAAAAA
        AAAAAAAAAAAAACvcVF1rS4ehRANCAAROagHhf1+H+oAiOMkYP5Op8qHqan9kQzeV
        PEaBzYhuCb5unG+GBAkwUvlszO+Sp7ge2rLpqMCb0cVqfznl8P7o
        -----END PRIVATE KEY-----
        """
    /// Ed25519.
    static let edwardsPEM = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f
        -----END PRIVATE KEY-----
        """
    /// RSA of 1024 bits.
    static let shortPEM = """
        -----BEGIN PRIVATE KEY-----
        MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAM0fL1z6XEx+qBgB
        ut/LYnEpDPO5hF4ma7QIc2L7lBHtVstyLeZb6UW5ax8l7cj65CWq8DtFx46mIMRf
        a5dNSY3TQw6sQO0GAVJaoFuCPjZQFrdcvcK1a4zGdTnrkqHv66K7gDbooGEKtHRv
        V3jaEOFDnZigLXLA8uO5hUvfdmLFAgMBAAECgYBBzixitssfm06QDRYHr/cP+Kx4
        EF8/2TGaW0+xRKaXLb43nJTPH1NyE+8i2gc0ABFraDCTw2onAHLorPgWXSwoKTCF
        3Hz1vccFStYH9MbsDtVv4TMgTV5D8cu5HzdG12SQ/q0L447CKs2Ma3qe8SWcfQQH
        XAXgV8Jq0KYwub4KoQJBAPpOnwy8Nu36I4wzM1gcdFggVdVdCnqMzZdlkvrdtnl7
        HP4dnCNZnPIOggIIUx4h9/ZIFhpOOmgE43ROy95+7fkCQQDRyXqCILUJqc3sf0Pe
        BXNWzqqZ7xZYIl5PnJDUVPKv4X+mGqyWwZzh/mP99ZaCyN2neotsRnGRFpa6aBmz
        tn4tAkEA0qar79nOGIT0uZ61TSfVOf0sfz2n/e7Vbt5KzdkdIitcAPgGWTGnhYZ0
        HyXGXYuU1K1h/I1tVfEXQuC1bfBAcQJAUZ0oY+eFhrTgv9ji9kT4khTkme5Bqxfz
        yNUIIxLJN1Nq7ZwC+MNp3SGylOIuI8MxOC6cfwsIs4EuMma9WQTuIQJBAIUwWS24
        QuqDCWnUgcl0GCFME5HheN8eh08QQBN/srBs7pjVeGLSTjg6MWNmu2tuW5fOR4fR
        Nk7x+EsXiDd1z3I=
        -----END PRIVATE KEY-----
        """

    /// The content of RFC 7516, appendix A.1.
    static let content = Array(
        "The true sign of intelligence is not knowledge but imagination.".utf8)
    /// Alice's ephemeral key of RFC 7518, appendix C, to Bob, with apu and apv as there; sealed by
    /// Python's cryptography with the nonce of RFC 7516, appendix A.1.
    static let agreed128 = """
        eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTEyOEdDTSIsImtpZCI6ImJvYiIsImVwayI6eyJrdHkiOiJF\
        QyIsImNydiI6IlAtMjU2IiwieCI6ImdJMEdBSUxCZHU3VDUzYWtyRm1NeUdjc0YzbjVkTzdNbXdOQkhL\
        VzVTVjAiLCJ5IjoiU0xXX3hTZmZ6bFBXckhFVkkzMERITV80ZWdWd3QzTlFxZVVEN25NRnBwcyJ9LCJh\
        cHUiOiJRV3hwWTJVIiwiYXB2IjoiUW05aSJ9..48V1_ALb6US04U3b.5uXNWDDxFfqSnV2UcGBQsuDFX\
        7SDHe0aVvjTv_U-2iRm_4aANElGvYLvd0Vqqkra-MRLEWihJoFYz5zqkWtl.oKxQ5ruA46yTlmoWOpr_\
        pA
        """
    /// The same without apu and apv; A256GCM, and the header says `zip`.
    static let agreed256 = """
        eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTI1NkdDTSIsImtpZCI6ImJvYiIsImVwayI6eyJrdHkiOiJF\
        QyIsImNydiI6IlAtMjU2IiwieCI6ImdJMEdBSUxCZHU3VDUzYWtyRm1NeUdjc0YzbjVkTzdNbXdOQkhL\
        VzVTVjAiLCJ5IjoiU0xXX3hTZmZ6bFBXckhFVkkzMERITV80ZWdWd3QzTlFxZVVEN25NRnBwcyJ9LCJ6\
        aXAiOiJERUYifQ..48V1_ALb6US04U3b.3Clz2INwVvzQhxAK43iraxvY_1VroroFvs-n5UOSJ2Rv1lM\
        HjwZrpEaC5nO47YfvgpoiBybbEvAe.lawCrYz5rLnYhSCzb3tvZg
        """
    /// The content key, nonce and content of RFC 7516, appendix A.1; wrapped by Python's
    /// cryptography with SHA-256, since the appendix uses SHA-1, which this server refuses.
    static let wrapped256 = """
        eyJhbGciOiJSU0EtT0FFUC0yNTYiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoicnNhIn0.ifKhXl5YHok4\
        e_t7aRO1b00JPHtR5_bhAYalxnBwZB9ej5mwiLjphPFWjo1z1TAFwk0KEGpsH6JwBf-YFiHV-7Fk1RVz\
        PHKJ6xPT1uuXHIUuFc7JnHqGKawyvEREhPnjr31H2JnRXv_e_OIHFpyY84fecGklcHqjlI5o89vQ9dIu\
        TrYdmJR54BKxDKLIe72qXjtbwUbn5_C6OEEGaGS-0dVgX8f1pd0-tbIMy3ruM6aCUcMKYeKuyMai9ur9\
        yEin9LwefBDNX1C_xPNPeHly25c9S_qvdoYtVAwRZHVdPVBwDcioEHKPgplzqyX6wYZJRKoACgGD6S6v\
        PtZds0KykA.48V1_ALb6US04U3b.5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9oMo4vpzs9tX_E\
        FShS8iB7j6jiSdiwkIr3ajwQzaBtQD_A.U0mWHn22AZlcA-20P9gKJQ
        """
    static let wrapped128 = """
        eyJhbGciOiJSU0EtT0FFUC0yNTYiLCJlbmMiOiJBMTI4R0NNIiwia2lkIjoicnNhIn0.LeVKXcG3kk29\
        eFxEvDknveVcB7beqnPt1xYWJ3MoScshtzVD-_NTxmfv2nH6PXHhOLrWxKG5o8aIoUXr67ULV22dPj6k\
        3hwc3mK74SOc8Y7P9PPINWMP2UndcneVn8j-z4Lq1VQrnlhyoyhdbYfYjwP-D8HGWEMWIhZsQ5xWBr1J\
        Ac-u8-puq6C9WqEaaLy4gu6Qqj2C_DpDDcfPGKvyq3_vhjESKfMwg1t0sWtMZsaJHp8xj34Bf0FzoWq9\
        exNveRAyZxvibW--yymbMJ5bEg4PtEb1oISoBrsSg2FvonJVb_LHrN7NPmRYGqjDYWZzZSs_L9M_W990\
        gDBJW-FYRA.48V1_ALb6US04U3b.I3RRwF1FZx4QJxYr0W_a5LCDedqpm49jMOicZimEdH2e9UU95Dd_\
        dgYrvO5BgInTSE37WQRPUBcf8CS8vRYT.NCsFNo7hZ1tpjDUml62xrQ
        """
    /// RFC 7516, appendix A.1, as printed: RSA-OAEP with SHA-1.
    static let printed = """
        eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.\
        OKOawDo13gRp2ojaHV7LFpZcgV7T6DVZKTyKOMTYUmKoTCVJRgckCL9kiMT03JGe\
        ipsEdY3mx_etLbbWSrFr05kLzcSr4qKAq7YN7e9jwQRb23nfa6c9d-StnImGyFDb\
        Sv04uVuxIp5Zms1gNxKKK2Da14B8S4rzVRltdYwam_lDp5XnZAYpQdb76FdIKLaV\
        mqgfwX7XWRxv2322i-vDxRfqNzo_tETKzpVLzfiwQyeyPGLBIO56YJ7eObdv0je8\
        1860ppamavo35UgoRdbYaBcoh9QcfylQr66oc6vFWXRcZ_ZT2LawVCWTIy3brGPi\
        6UklfCpIMfIjf7iGdXKHzg.\
        48V1_ALb6US04U3b.\
        5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9oMo4vpzs9tX_EFShS8iB7j6ji\
        SdiwkIr3ajwQzaBtQD_A.\
        XFBoMYUZodetZdvTiFvSkQ
        """
}

/// Octets of hexadecimal digits.
func hex(_ text: String) -> [UInt8] { Hex.decode(Array(text.utf8).span) ?? [] }

func base64url(_ text: String) -> [UInt8] { Base64URL.decode(Array(text.utf8).span) ?? [] }
