//! The schema of TFLite 2.18: names of operators, and the fields of tables in order of their slots.
//!
//! Upstream source: `tensorflow/compiler/mlir/lite/schema/schema.fbs`.

/// The number of custom operators.
pub(super) const CUSTOM: i32 = 32;

/// Names of the operators, by number.
pub(super) static OPERATORS: [&str; 209] = [
    "ADD",
    "AVERAGE_POOL_2D",
    "CONCATENATION",
    "CONV_2D",
    "DEPTHWISE_CONV_2D",
    "DEPTH_TO_SPACE",
    "DEQUANTIZE",
    "EMBEDDING_LOOKUP",
    "FLOOR",
    "FULLY_CONNECTED",
    "HASHTABLE_LOOKUP",
    "L2_NORMALIZATION",
    "L2_POOL_2D",
    "LOCAL_RESPONSE_NORMALIZATION",
    "LOGISTIC",
    "LSH_PROJECTION",
    "LSTM",
    "MAX_POOL_2D",
    "MUL",
    "RELU",
    "RELU_N1_TO_1",
    "RELU6",
    "RESHAPE",
    "RESIZE_BILINEAR",
    "RNN",
    "SOFTMAX",
    "SPACE_TO_DEPTH",
    "SVDF",
    "TANH",
    "CONCAT_EMBEDDINGS",
    "SKIP_GRAM",
    "CALL",
    "CUSTOM",
    "EMBEDDING_LOOKUP_SPARSE",
    "PAD",
    "UNIDIRECTIONAL_SEQUENCE_RNN",
    "GATHER",
    "BATCH_TO_SPACE_ND",
    "SPACE_TO_BATCH_ND",
    "TRANSPOSE",
    "MEAN",
    "SUB",
    "DIV",
    "SQUEEZE",
    "UNIDIRECTIONAL_SEQUENCE_LSTM",
    "STRIDED_SLICE",
    "BIDIRECTIONAL_SEQUENCE_RNN",
    "EXP",
    "TOPK_V2",
    "SPLIT",
    "LOG_SOFTMAX",
    "DELEGATE",
    "BIDIRECTIONAL_SEQUENCE_LSTM",
    "CAST",
    "PRELU",
    "MAXIMUM",
    "ARG_MAX",
    "MINIMUM",
    "LESS",
    "NEG",
    "PADV2",
    "GREATER",
    "GREATER_EQUAL",
    "LESS_EQUAL",
    "SELECT",
    "SLICE",
    "SIN",
    "TRANSPOSE_CONV",
    "SPARSE_TO_DENSE",
    "TILE",
    "EXPAND_DIMS",
    "EQUAL",
    "NOT_EQUAL",
    "LOG",
    "SUM",
    "SQRT",
    "RSQRT",
    "SHAPE",
    "POW",
    "ARG_MIN",
    "FAKE_QUANT",
    "REDUCE_PROD",
    "REDUCE_MAX",
    "PACK",
    "LOGICAL_OR",
    "ONE_HOT",
    "LOGICAL_AND",
    "LOGICAL_NOT",
    "UNPACK",
    "REDUCE_MIN",
    "FLOOR_DIV",
    "REDUCE_ANY",
    "SQUARE",
    "ZEROS_LIKE",
    "FILL",
    "FLOOR_MOD",
    "RANGE",
    "RESIZE_NEAREST_NEIGHBOR",
    "LEAKY_RELU",
    "SQUARED_DIFFERENCE",
    "MIRROR_PAD",
    "ABS",
    "SPLIT_V",
    "UNIQUE",
    "CEIL",
    "REVERSE_V2",
    "ADD_N",
    "GATHER_ND",
    "COS",
    "WHERE",
    "RANK",
    "ELU",
    "REVERSE_SEQUENCE",
    "MATRIX_DIAG",
    "QUANTIZE",
    "MATRIX_SET_DIAG",
    "ROUND",
    "HARD_SWISH",
    "IF",
    "WHILE",
    "NON_MAX_SUPPRESSION_V4",
    "NON_MAX_SUPPRESSION_V5",
    "SCATTER_ND",
    "SELECT_V2",
    "DENSIFY",
    "SEGMENT_SUM",
    "BATCH_MATMUL",
    "PLACEHOLDER_FOR_GREATER_OP_CODES",
    "CUMSUM",
    "CALL_ONCE",
    "BROADCAST_TO",
    "RFFT2D",
    "CONV_3D",
    "IMAG",
    "REAL",
    "COMPLEX_ABS",
    "HASHTABLE",
    "HASHTABLE_FIND",
    "HASHTABLE_IMPORT",
    "HASHTABLE_SIZE",
    "REDUCE_ALL",
    "CONV_3D_TRANSPOSE",
    "VAR_HANDLE",
    "READ_VARIABLE",
    "ASSIGN_VARIABLE",
    "BROADCAST_ARGS",
    "RANDOM_STANDARD_NORMAL",
    "BUCKETIZE",
    "RANDOM_UNIFORM",
    "MULTINOMIAL",
    "GELU",
    "DYNAMIC_UPDATE_SLICE",
    "RELU_0_TO_1",
    "UNSORTED_SEGMENT_PROD",
    "UNSORTED_SEGMENT_MAX",
    "UNSORTED_SEGMENT_SUM",
    "ATAN2",
    "UNSORTED_SEGMENT_MIN",
    "SIGN",
    "BITCAST",
    "BITWISE_XOR",
    "RIGHT_SHIFT",
    "STABLEHLO_LOGISTIC",
    "STABLEHLO_ADD",
    "STABLEHLO_DIVIDE",
    "STABLEHLO_MULTIPLY",
    "STABLEHLO_MAXIMUM",
    "STABLEHLO_RESHAPE",
    "STABLEHLO_CLAMP",
    "STABLEHLO_CONCATENATE",
    "STABLEHLO_BROADCAST_IN_DIM",
    "STABLEHLO_CONVOLUTION",
    "STABLEHLO_SLICE",
    "STABLEHLO_CUSTOM_CALL",
    "STABLEHLO_REDUCE",
    "STABLEHLO_ABS",
    "STABLEHLO_AND",
    "STABLEHLO_COSINE",
    "STABLEHLO_EXPONENTIAL",
    "STABLEHLO_FLOOR",
    "STABLEHLO_LOG",
    "STABLEHLO_MINIMUM",
    "STABLEHLO_NEGATE",
    "STABLEHLO_OR",
    "STABLEHLO_POWER",
    "STABLEHLO_REMAINDER",
    "STABLEHLO_RSQRT",
    "STABLEHLO_SELECT",
    "STABLEHLO_SUBTRACT",
    "STABLEHLO_TANH",
    "STABLEHLO_SCATTER",
    "STABLEHLO_COMPARE",
    "STABLEHLO_CONVERT",
    "STABLEHLO_DYNAMIC_SLICE",
    "STABLEHLO_DYNAMIC_UPDATE_SLICE",
    "STABLEHLO_PAD",
    "STABLEHLO_IOTA",
    "STABLEHLO_DOT_GENERAL",
    "STABLEHLO_REDUCE_WINDOW",
    "STABLEHLO_SORT",
    "STABLEHLO_WHILE",
    "STABLEHLO_GATHER",
    "STABLEHLO_TRANSPOSE",
    "DILATE",
    "STABLEHLO_RNG_BIT_GENERATOR",
    "REDUCE_WINDOW",
    "STABLEHLO_COMPOSITE",
    "STABLEHLO_SHIFT_LEFT",
    "STABLEHLO_CBRT",
];

macro_rules! tables {
    ($($table:ident { $($field:ident),* })*) => {$(
        #[derive(Debug, Clone, Copy)]
        #[allow(dead_code, reason = "fields that are not read keep the slots of the others")]
        pub(in crate::tflite) enum $table { $($field),* }
        impl From<$table> for u16 {
            fn from(field: $table) -> u16 {
                field as u16
            }
        }
    )*};
}
tables! {
    Model { Version, OperatorCodes, Subgraphs, Description, Buffers, MetadataBuffer, Metadata, SignatureDefs }
    OperatorCode { DeprecatedBuiltinCode, CustomCode, Version, BuiltinCode }
    SubGraph { Tensors, Inputs, Outputs, Operators, Name, DebugMetadataIndex }
    Tensor {
        Shape, Kind, Buffer, Name, Quantization, IsVariable, Sparsity, ShapeSignature, HasRank,
        VariantTensors
    }
    QuantizationParameters { Min, Max, Scale, ZeroPoint, DetailsType, Details, QuantizedDimension }
    Buffer { Data, Offset, Size }
    Operator {
        OpcodeIndex, Inputs, Outputs, BuiltinOptionsType, BuiltinOptions, CustomOptions, CustomOptionsFormat,
        MutatingVariableInputs, Intermediates, LargeCustomOptionsOffset, LargeCustomOptionsSize,
        BuiltinOptions2Type, BuiltinOptions2, DebugMetadataIndex
    }
    SparsityParameters { TraversalOrder, BlockMap, DimMetadata }
    DimensionMetadata { Format, DenseSize, ArraySegmentsType, ArraySegments, ArrayIndicesType, ArrayIndices }
    Int32Vector { Values }
    VarHandle { Container, SharedName }
    Hashtable { TableId, KeyDtype, ValueDtype }
    Conv2D {
        Padding, StrideW, StrideH, FusedActivationFunction, DilationWFactor, DilationHFactor,
        QuantizedBiasType
    }
    Conv3D {
        Padding, StrideD, StrideW, StrideH, FusedActivationFunction, DilationDFactor, DilationWFactor,
        DilationHFactor
    }
    Pool2D { Padding, StrideW, StrideH, FilterWidth, FilterHeight, FusedActivationFunction }
    DepthwiseConv2D {
        Padding, StrideW, StrideH, DepthMultiplier, FusedActivationFunction, DilationWFactor, DilationHFactor
    }
    TransposeConv { Padding, StrideW, StrideH, FusedActivationFunction, QuantizedBiasType }
    Svdf { Rank, FusedActivationFunction, AsymmetricQuantizeInputs }
    SequenceRNN { TimeMajor, FusedActivationFunction, AsymmetricQuantizeInputs }
    BidirectionalSequenceRNN { TimeMajor, FusedActivationFunction, MergeOutputs, AsymmetricQuantizeInputs }
    FullyConnected {
        FusedActivationFunction, WeightsFormat, KeepNumDims, AsymmetricQuantizeInputs, QuantizedBiasType
    }
    Concatenation { Axis, FusedActivationFunction }
    LocalResponseNormalization { Radius, Bias, Alpha, Beta }
    LstmCell { FusedActivationFunction, CellClip, ProjClip, KernelType, AsymmetricQuantizeInputs }
    UnidirectionalSequenceLSTM {
        FusedActivationFunction, CellClip, ProjClip, TimeMajor, AsymmetricQuantizeInputs,
        DiagonalRecurrentTensors
    }
    BidirectionalSequenceLSTM {
        FusedActivationFunction, CellClip, ProjClip, MergeOutputs, TimeMajor, AsymmetricQuantizeInputs
    }
    ResizeBilinear { Unused0, Unused1, AlignCorners, HalfPixelCenters }
    ResizeNearestNeighbor { AlignCorners, HalfPixelCenters }
    Call { Subgraph }
    CallOnce { InitSubgraphIndex }
    Reshape { NewShape }
    SpaceToDepth { BlockSize }
    EmbeddingLookupSparse { Combiner }
    Gather { Axis, BatchDims }
    Reducer { KeepDims }
    Squeeze { SqueezeDims }
    Split { NumSplits }
    StridedSlice { BeginMask, EndMask, EllipsisMask, NewAxisMask, ShrinkAxisMask, Offset }
    Cumsum { Exclusive, Reverse }
    FakeQuant { Min, Max, NumBits, NarrowRange }
    Pack { ValuesCount, Axis }
    OneHot { Axis }
    Unpack { Num, Axis }
    LeakyRelu { Alpha }
    MirrorPad { Mode }
    Unique { IdxOutType }
    ReverseSequence { SeqDim, BatchDim }
    If { ThenSubgraphIndex, ElseSubgraphIndex }
    While { CondSubgraphIndex, BodySubgraphIndex }
    BatchMatMul { AdjX, AdjY, AsymmetricQuantizeInputs }
    Random { Seed, Seed2 }
    Bucketize { Boundaries }
    Gelu { Approximate }
    Softmax { Beta }
    L2Norm { FusedActivationFunction }
    Add { FusedActivationFunction, PotScaleInt16 }
    StablehloConcatenate { Dimension }
    StablehloBroadcastInDim { BroadcastDimensions }
    StablehloSlice { StartIndices, LimitIndices, Strides }
    StablehloConvolution {
        WindowStrides, Padding, LhsDilation, RhsDilation, WindowReversal, InputBatchDimension,
        InputFeatureDimension, InputSpatialDimensions, KernelInputFeatureDimension,
        KernelOutputFeatureDimension, KernelSpatialDimensions, OutputBatchDimension, OutputFeatureDimension,
        OutputSpatialDimensions, FeatureGroupCount, BatchGroupCount, PrecisionConfig
    }
    StablehloCustomCall {
        CallTargetName, HasSideEffect, BackendConfig, ApiVersion, CalledComputations, CustomAttributes
    }
    StablehloReduce { Dimensions, BodySubgraphIndex }
    StablehloScatter {
        IndicesAreSorted, UpdateWindowDims, InsertedWindowDims, ScatterDimsToOperandDims, IndexVectorDim,
        UniqueIndices, UpdateComputationSubgraphIndex
    }
    StablehloCompare { ComparisonDirection, CompareType }
    StablehloDynamicSlice { SliceSizes }
    StablehloPad { EdgePaddingLow, EdgePaddingHigh, InteriorPadding }
    StablehloIota { IotaDimension }
    StablehloDotGeneral {
        LhsBatchingDimensions, RhsBatchingDimensions, LhsContractingDimensions, RhsContractingDimensions,
        PrecisionConfig
    }
    StablehloReduceWindow {
        WindowDimensions, WindowStrides, BaseDilations, WindowDilations, Padding, BodySubgraphIndex
    }
    StablehloSort { Dimension, IsStable, ComparatorSubgraphIndex }
    StablehloWhile { CondSubgraphIndex, BodySubgraphIndex }
    StablehloGather {
        OffsetDims, CollapsedSliceDims, StartIndexMap, IndexVectorDim, SliceSizes, IndicesAreSorted
    }
    StablehloTranspose { Permutation }
    StablehloComposite {
        Name, DecompositionSubgraphIndex, CompositeAttributes, CompositeAttributesFormat, Version
    }
    Shape { OutType }
}
